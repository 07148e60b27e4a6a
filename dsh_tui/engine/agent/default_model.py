"""The default model: what a new session uses when neither its owner nor its log says.

A seam between the settings, which know, and the loop, which asks once for each new agent; a
session that has logged a model keeps its own. Source: core spec §10; capabilities A2.
"""

from __future__ import annotations

from collections.abc import Callable

from dsh_tui.engine.agent.agent import AgentOptions
from dsh_tui.engine.kernel import ServiceKey

DEFAULT_MODEL: ServiceKey[Callable[[], AgentOptions]] = ServiceKey("default-model")
