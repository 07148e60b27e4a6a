"""The terminal: the driver that reads and writes it, and what else it can be told.

`driver` is Textual's own with its faults kept from the app; `output` writes without anybody waiting;
`signals` are bell, title and notification as bytes; `stray_output` takes what others print meanwhile.
Of the engine it knows `base` alone, and no screen.
"""
