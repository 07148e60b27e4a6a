"""``plugins list|check``: load the plugin folder without the rest and say how each one fares."""

from __future__ import annotations

import asyncio
import os
import sys

from dsh_tui.engine.base.errors import HarnessError
from dsh_tui.engine.base.lossless import dumps
from dsh_tui.engine.base.visible import visible
from dsh_tui.engine.frontends.speak import complain, say
from dsh_tui.engine.plugin_folder.folder import PluginRecord
from dsh_tui.engine.product import Product, StartOptions


def check_plugins(*, as_json: bool) -> int:
    """Print each plugin's state; 1 if any is broken."""
    answer, sys.stdout = sys.stdout, sys.stderr  # what plugins print must not mix with the report
    try:
        records = asyncio.run(_records())
    except HarnessError as error:
        return complain(error.message, 2)
    finally:
        sys.stdout = answer
    if as_json:
        rows = [
            {"name": one.name, "path": str(one.path), "state": one.state, "error": one.error}
            for one in records
        ]
        say(dumps(rows))
    else:
        for one in records:
            say(visible(f"{one.name:<24} {one.state:<8} {one.error or one.path}"))
    return 1 if any(one.error for one in records) else 0


async def _records() -> tuple[PluginRecord, ...]:
    from pathlib import Path

    product = await Product.start(StartOptions(cwd=Path.cwd(), environ=os.environ))
    try:
        return product.plugins.records()
    finally:
        await product.dispose()
