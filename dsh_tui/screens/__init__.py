"""Screens: one file per screen, wiring only. They read views and call intents of the port."""
