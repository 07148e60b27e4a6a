"""Where engine meets screen: the bridge, what follows a log for it, and what answers the screens' ports.

Screens see none of it but through `screens.ports`; the engine sees none of it at all.
"""
