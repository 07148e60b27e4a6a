"""``plugins trust``: list what a project would load, ask, and keep the answer. Loads none of it.

Exit status: 0 all of it is trusted (or, with ``--revoke``, none) · 1 it is not · 2 usage.
Source: design §3.14, §4.
"""

from __future__ import annotations

import asyncio
import os
import shlex
import sys
from pathlib import Path
from typing import Any

from dsh_tui.engine.base.errors import HarnessError
from dsh_tui.engine.base.lossless import dumps
from dsh_tui.engine.base.visible import exact_line
from dsh_tui.engine.frontends.speak import complain, say
from dsh_tui.engine.kernel import create_root
from dsh_tui.engine.settings.home import Home
from dsh_tui.engine.trust.manifest import Manifest
from dsh_tui.engine.trust.service import Trust
from dsh_tui.engine.trust.store import TrustStore
from dsh_tui.engine.trust.words import in_short, with_states


def open_trust(home: Home) -> Trust:
    """The answers of this home, without an engine around them."""
    return Trust(create_root(), TrustStore(home.trust), own_home=home.root)


def trust_folder(project: Path, *, yes: bool, revoke: bool, as_json: bool) -> int:
    """Trust what the project brings as it is listed, or trust nothing of it any more."""
    trust = open_trust(Home.from_environment(os.environ))
    try:
        if trust.fault:
            complain(trust.fault, 1)
        if revoke:
            asyncio.run(trust.revoke(project))
            return 0
        manifest = trust.manifest(project)
        pending = trust.standing(manifest).pending
        if pending and (yes or (not as_json and _agreed(trust, manifest))):
            asyncio.run(trust.trust(manifest))
        if as_json:
            say(dumps(_report(trust, manifest)))
        elif yes or not pending:
            _list(trust, manifest)
    except HarnessError as error:
        return complain(error.message, 1)
    return 1 if trust.standing(manifest).pending else 0


def _agreed(trust: Trust, manifest: Manifest) -> bool:
    _list(trust, manifest)
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        complain("nothing was trusted: without a terminal to ask on, --yes is needed", 1)
        return False
    sys.stdout.write("Trust this folder, as it is listed here? [y/N] ")
    sys.stdout.flush()
    return sys.stdin.readline().strip().lower() in ("y", "yes")


def _list(trust: Trust, manifest: Manifest) -> None:
    say(exact_line(str(manifest.project)))
    rows = with_states(manifest, trust.standing(manifest))
    for entry, state in rows:
        path, size = exact_line(entry.path), f"{entry.size:,} bytes"
        say(f"  {state:<8} {entry.kind:<13} {path}  {size}  {entry.digest[:16]}")
        if entry.note:
            say(f"           {exact_line(entry.note)}")
    for one in manifest.left_out:
        say(f"  never    {exact_line(one.path)}: {exact_line(one.why)}")
    if not rows:
        say("  nothing here would take effect")


def _report(trust: Trust, manifest: Manifest) -> dict[str, Any]:  # Any: JSON
    standing = trust.standing(manifest)
    return {
        "project": str(manifest.project),
        "trusted": not standing.pending,
        "entries": [
            {
                "kind": entry.kind,
                "path": entry.path,
                "size": entry.size,
                "sha256": entry.digest,
                "state": state,
                "note": entry.note,
            }
            for entry, state in with_states(manifest, standing)
        ],
        "leftOut": [{"path": one.path, "why": one.why} for one in manifest.left_out],
    }


def left_out_here(trust: Trust, project: Path) -> str:
    """One line on what of a project has no effect, and what would give it one; empty where all has."""
    manifest = trust.manifest(project)
    pending = trust.standing(manifest).pending
    said: list[str] = []
    if pending:
        said.append(
            f"not trusted, so without effect: {exact_line(in_short(pending))} "
            f"(`dsh-tui plugins trust {exact_line(shlex.quote(str(project)))}` lists it and asks)"
        )
    said += [f"never loaded: {exact_line(one.path)}: {exact_line(one.why)}" for one in manifest.faults[:1]]
    return "; ".join(said)
