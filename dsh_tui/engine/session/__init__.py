"""The session log: append-only, event-sourced, the truth that everything else folds.

Job: hold one conversation's events, say what may enter, derive what the model sees.
Service: ``sessions`` (`store.SESSIONS`), mounted by `session.plugin`.
Who may import it: everything above llm. `event`, `log`, `pack`, `derive`, `repair` and
`session` itself need no kernel, so that readers and folds stay cheap to import; for that
reason nothing is re-exported here.
Events: ``session/created`` ``session/disposed`` ``session/event`` ``session/flush``.
Extension points: `registry.register_event_type`.
Left out on purpose: files (persistence), numbering of turns (loop), views (projection).
Source: core spec §3.
"""
