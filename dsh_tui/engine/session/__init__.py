"""The session log: append-only, event-sourced, the truth that everything else folds."""
