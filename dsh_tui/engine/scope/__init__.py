"""Scopes: what belongs to one agent.

Job: registrations and events of one agent, apart from those of others. A library, no
service key. Who may import it: every registry and whoever dispatches an agent's events.
Left out on purpose: what an agent is; a scope's key is any object.
Source: core spec §2.
"""

from dsh_tui.engine.scope.key import ScopeError, lineage
from dsh_tui.engine.scope.layers import ScopedLayers
from dsh_tui.engine.scope.scope import ScopeHandle, create_scope, scope_key, scope_of, scope_target

__all__ = [
    "ScopeError",
    "ScopeHandle",
    "ScopedLayers",
    "create_scope",
    "lineage",
    "scope_key",
    "scope_of",
    "scope_target",
]
