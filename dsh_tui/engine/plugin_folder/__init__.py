"""Plugins dropped into a folder: found, imported, mounted, and reloaded when they are saved."""
