"""``plugins list|check``: load the plugin folders without the rest and say how each plugin fares.

Of a project's, only what is trusted is loaded; the rest is listed. Source: design §3.20, §3.14.
"""

from __future__ import annotations

import asyncio
import os
import sys
from dataclasses import dataclass
from pathlib import Path

from dsh_tui.engine.base.errors import HarnessError
from dsh_tui.engine.base.lossless import dumps
from dsh_tui.engine.base.visible import exact_line
from dsh_tui.engine.frontends.speak import complain, say
from dsh_tui.engine.plugin_folder.folder import PluginRecord
from dsh_tui.engine.plugin_folder.projects import CHANGED
from dsh_tui.engine.product import Product, StartOptions

UNTRUSTED = "untrusted"


@dataclass(frozen=True, slots=True)
class _Row:
    """One plugin. ``source``: whose folder it is in, ``user`` or ``project``."""

    name: str
    path: Path
    state: str
    error: str
    source: str

    @property
    def is_broken(self) -> bool:
        return bool(self.error) and self.state != UNTRUSTED


def check_plugins(*, as_json: bool) -> int:
    """Print each plugin's state; 1 if any is broken."""
    answer, sys.stdout = sys.stdout, sys.stderr  # what plugins print must not mix with the report
    try:
        rows = asyncio.run(_rows())
    except HarnessError as error:
        return complain(error.message, 2)
    finally:
        sys.stdout = answer
    if as_json:
        say(
            dumps(
                [
                    {
                        "name": one.name,
                        "path": str(one.path),
                        "state": one.state,
                        "error": one.error,
                        "source": one.source,
                        "trusted": one.state != UNTRUSTED,
                    }
                    for one in rows
                ]
            )
        )
    else:
        for one in rows:
            said = one.error if one.is_broken else f"{one.path}{f': {one.error}' if one.error else ''}"
            say(exact_line(f"{one.name:<24} {one.state:<9} {one.source:<7} {said}"))
        if any(one.state == UNTRUSTED for one in rows):
            say("`dsh-tui plugins trust` lists what this project would load, and asks")
    return 1 if any(one.is_broken for one in rows) else 0


async def _rows() -> list[_Row]:
    product = await Product.start(StartOptions(cwd=Path.cwd(), environ=os.environ))
    try:
        own = [_row(one, "user") for one in product.plugins.records()]
        return [*own, *(_row(one, "project") for one in product.projects.records()), *_untrusted(product)]
    finally:
        await product.dispose()


def _row(record: PluginRecord, source: str) -> _Row:
    return _Row(record.name, record.path, record.state, record.error, source)


def _untrusted(product: Product) -> list[_Row]:
    manifest = product.trust.manifest(product.cwd)
    standing = product.trust.standing(manifest)
    rows: list[_Row] = []
    for entry in standing.pending:
        if entry.kind == "plugin":
            path = manifest.project / entry.path
            why = CHANGED if entry in standing.changed else ""
            rows.append(_Row(path.stem, path, UNTRUSTED, why, "project"))
    return rows
