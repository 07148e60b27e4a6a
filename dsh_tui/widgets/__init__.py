"""Widgets: one noun per file. Each gets frozen views and posts messages; none knows the engine."""
