"""Plugins of this package: the ``spill`` service, and the policy for oversized results.

Mount `store`, then `policy`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dsh_tui.engine.kernel import Context, ServiceKey
from dsh_tui.engine.spill.policy import INLINE_CAP, SpillPolicy
from dsh_tui.engine.spill.store import FILE_CAP, SPILL, SpillStore
from dsh_tui.engine.tools.events import POST_EXECUTE


@dataclass(frozen=True, slots=True, kw_only=True)
class StoreConfig:
    """Where spill files go, and how large one may be."""

    root: Path
    file_cap: int = FILE_CAP


@dataclass(frozen=True, slots=True, kw_only=True)
class PolicyConfig:
    """From how many bytes on a result is shortened."""

    cap: int = INLINE_CAP


class StorePlugin:
    """Provides ``spill``."""

    name = "spill/store"
    Config = StoreConfig

    def apply(self, ctx: Context, config: StoreConfig) -> None:
        ctx.provide(SPILL, SpillStore(config.root, file_cap=config.file_cap))


class PolicyPlugin:
    """Shortens oversized tool results."""

    name = "spill/policy"
    inject: Sequence[ServiceKey[Any]] = (SPILL,)  # Any: keys of all types
    Config = PolicyConfig

    def apply(self, ctx: Context, config: PolicyConfig) -> None:
        ctx.on(POST_EXECUTE, SpillPolicy(ctx[SPILL], config.cap).on_result, prepend=True)


store = StorePlugin()
policy = PolicyPlugin()
