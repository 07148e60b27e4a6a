"""Session titles: the first words at once, or what the user says.

Job: logs ``session/title``. The last one in the log wins, but a user's title is never replaced by a
fallback. No service key; front ends call `rename`. Anybody may import `title`; `plugin` is for bundles.
Left out on purpose: titles written by a model.

Source: core spec §10 (Titles).
"""

from dsh_tui.engine.session_title.title import clean_title, fallback_title, rename

__all__ = ["clean_title", "fallback_title", "rename"]
