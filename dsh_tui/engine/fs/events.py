"""Events around files: who may change what, and what a session has seen.

With no listener every change is unconditional; `observation` is the policy that ships.
Source: capabilities B3 (observation policy).
"""

from __future__ import annotations

from pathlib import Path

from dsh_tui.engine.fs.seam import Expected
from dsh_tui.engine.fs.version import Version
from dsh_tui.engine.kernel import Emit, Waterfall
from dsh_tui.engine.tools.definition import ToolCall

FS_WRITE_INTENT: Waterfall[[ToolCall, Path], Expected] = Waterfall("fs/write-intent")
"""The call wants to replace or create this real file. Answer what must be there; raise to refuse."""

FS_EDIT_INTENT: Waterfall[[ToolCall, Path], Expected] = Waterfall("fs/edit-intent")
"""The call wants to change a part of this real file. Answer what must be there; raise to refuse."""

FS_OBSERVED: Emit[[ToolCall, Path, Version | None]] = Emit("fs/observed")
"""The call's session now knows this real file at this version; None: knows that it is absent."""
