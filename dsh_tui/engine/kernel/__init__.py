"""The kernel: a tree of plugins with services, effects and events.

Job: mount, order and undo whatever the engine is made of. Who may import it: every
part of the engine but projection, views and vocabulary. It knows nothing of agents,
sessions or models, and imports only `dsh_tui.engine.base`.

Extension points: `Context.plugin`, `provide`, `effect`, `on`.
Events: ``internal/dispatch`` ``internal/state`` ``internal/update``.
Left out on purpose: loading plugins from files (boot), scopes of agents (scope).
Source: core spec §1.
"""

from dsh_tui.engine.kernel.context import Context, create_root
from dsh_tui.engine.kernel.dispatch import INTERNAL_DISPATCH, Dispatch, Dispatcher
from dsh_tui.engine.kernel.effects import Disposer, Effect, EffectBody, Undo, UndoStep
from dsh_tui.engine.kernel.errors import ConfigError, KernelError
from dsh_tui.engine.kernel.fiber import Fiber
from dsh_tui.engine.kernel.finding import find_fiber
from dsh_tui.engine.kernel.internal_events import INTERNAL_STATE, INTERNAL_UPDATE
from dsh_tui.engine.kernel.keys import Emit, Next, Parallel, Serial, ServiceKey, Waterfall
from dsh_tui.engine.kernel.plugin import Plugin
from dsh_tui.engine.kernel.producer import Producer
from dsh_tui.engine.kernel.state import FiberState

__all__ = [
    "INTERNAL_DISPATCH",
    "INTERNAL_STATE",
    "INTERNAL_UPDATE",
    "ConfigError",
    "Context",
    "Dispatch",
    "Dispatcher",
    "Disposer",
    "Effect",
    "EffectBody",
    "Emit",
    "Fiber",
    "FiberState",
    "KernelError",
    "Next",
    "Parallel",
    "Plugin",
    "Producer",
    "Serial",
    "ServiceKey",
    "Undo",
    "UndoStep",
    "Waterfall",
    "create_root",
    "find_fiber",
]
