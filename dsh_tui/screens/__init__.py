"""Screens: one file per screen, wiring only. They read views, call intents of the port, and decide nothing."""
