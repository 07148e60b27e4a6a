"""Plugin: mounts `TRUST` on the store in the user's home. Source: design §3.14."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from dsh_tui.engine.kernel import Context
from dsh_tui.engine.trust.service import TRUST, Trust
from dsh_tui.engine.trust.store import TrustStore

name = "trust"


@dataclass(frozen=True, slots=True)
class TrustConfig:
    """``store``: trust.json. ``own_home``: the user's home folder, which is no project's ``.dsh``."""

    store: Path
    own_home: Path | None = None


def apply(ctx: Context, config: TrustConfig) -> None:
    """Answer for projects for as long as this plugin lives."""
    ctx.provide(TRUST, Trust(ctx, TrustStore(config.store), own_home=config.own_home))
