"""Folds from events to frozen views. Headless; the only part of the engine that widgets know."""
