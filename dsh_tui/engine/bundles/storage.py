"""Bundle: sessions and their files, and nothing that could run. For commands that change a stored session.

Source: core spec §4; design §4 (sessions).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from dsh_tui.engine.kernel import Context
from dsh_tui.engine.persistence.dialects.logs import OriginalLogs
from dsh_tui.engine.persistence.dialects.paths import original_sessions
from dsh_tui.engine.persistence.jsonl import plugin as jsonl
from dsh_tui.engine.persistence.jsonl.logs import JsonlLogs
from dsh_tui.engine.persistence.lease import plugin as leases
from dsh_tui.engine.session import plugin as sessions
from dsh_tui.engine.session_index.index import SessionIndex

name = "storage"


@dataclass(frozen=True, slots=True, kw_only=True)
class Config:
    """Where the sessions lie, and how leases are held."""

    sessions: Path
    lease: leases.LeaseConfig = field(default_factory=leases.LeaseConfig)


def apply(ctx: Context, config: Config) -> None:
    """Mount the store of sessions over leased files."""
    ctx.plugin(sessions)
    ctx.plugin(leases, config.lease)
    ctx.plugin(jsonl, jsonl.JsonlConfig(root=config.sessions))


def index_of(path: Path, own: Path, environ: Mapping[str, str]) -> SessionIndex:
    """The index over our sessions and the original's."""
    return SessionIndex(path, [JsonlLogs(own), OriginalLogs(original_sessions(environ))])
