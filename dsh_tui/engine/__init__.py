"""The engine: a session log, an agent on it, and plugins around it. Never imports textual or rich."""
