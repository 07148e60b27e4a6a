"""The agent seam: what every plugin and front end programs against.

Job: the `Agent` handle, the ``agent/*`` events with their typed decisions, and the registry of
live agents (service key `AGENTS`). Anybody may import it; it knows no concrete loop, so the loop
can be replaced. Extension points: `set_factory` and every event in `events`. Left out on purpose:
turn and step boundaries and the token stream, which are read from ``session/event``.

Source: core spec §7.
"""
