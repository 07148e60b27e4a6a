"""Permissions: rules that answer for a person, and what they make of a call.

`rule` reads them, `judge` applies them, `danger` says what is destructive, `proposal` suggests
new ones. Nothing here knows of sessions, settings or screens.
"""
