"""Credentials: which key to use, where it came from, and storing one. Values never leave by accident."""
