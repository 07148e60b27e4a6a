"""Session titles: the first words at once, then the model's for the first turn, or what the user says.

Job: logs ``session/title``. The last one in the log wins, but a user's title is never replaced by
another. No service key; front ends call `rename`. Anybody may import `title`; `plugin` and
`written_titles`, which asks the model, are for bundles.

Source: core spec §10 (Titles).
"""

from dsh_tui.engine.session_title.title import clean_title, fallback_title, rename

__all__ = ["clean_title", "fallback_title", "rename"]
