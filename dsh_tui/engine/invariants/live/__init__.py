"""Checks of what is dispatched, one file an owner."""
