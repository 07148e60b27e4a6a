"""Events of the tree about itself; ``internal/dispatch`` is in `dispatch`.

Source: core spec §1 (Config, Dispatch).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dsh_tui.engine.kernel.keys import Emit, Waterfall

if TYPE_CHECKING:
    from dsh_tui.engine.kernel.fiber import Fiber

INTERNAL_STATE: Emit[[Fiber]] = Emit("internal/state")
"""A fiber's state has changed; read it from the fiber."""

INTERNAL_UPDATE: Waterfall[[Fiber, object], None] = Waterfall("internal/update")
"""A fiber is about to restart for a new, valid config. Not calling ``next`` keeps it running:
the listener has taken over the new config by itself."""
