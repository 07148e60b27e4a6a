"""Who put something into a registry: which plugin, and in which of its loadings.

What is registered outlives the memory of who did it, unless the registry keeps this beside it; the
log names it, so that a change can be laid at somebody's door. Source: ux spec §3.2 (cache audit).
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Producer:
    """A plugin by its name."""

    plugin: str
    load: int
    """Counts the loadings of a tree: with another number, the plugin has been loaded again since."""
