"""``doctor``: what dsh-tui needs and whether it is there. Never shows a key, never needs the network.

Source: design §4; ux §5.
"""

from __future__ import annotations

import os
import platform
import re
import shutil
import sys
from collections.abc import Iterator
from typing import Literal

from dsh_tui import __version__
from dsh_tui.engine.base.dataclass import dataclass
from dsh_tui.engine.base.errors import HarnessError
from dsh_tui.engine.base.lossless import dumps
from dsh_tui.engine.base.visible import visible
from dsh_tui.engine.credentials.store import CredentialStore
from dsh_tui.engine.frontends.speak import say
from dsh_tui.engine.fs.ripgrep import find_ripgrep
from dsh_tui.engine.plugin_folder.source import find_plugins
from dsh_tui.engine.sandbox.backends import first_working, system_backends
from dsh_tui.engine.sandbox.seam import SandboxUnavailableError
from dsh_tui.engine.settings.home import Home
from dsh_tui.engine.settings.loader import load_settings

Verdict = Literal["ok", "note", "fault"]
_PASSWORD = re.compile(r"//[^/\s]*@")
SIGNS: dict[Verdict, str] = {"ok": "✓", "note": "·", "fault": "✗"}


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing looked at. A ``note`` is worth knowing; only a ``fault`` keeps the app from working."""

    name: str
    verdict: Verdict
    detail: str


def run_doctor(*, as_json: bool) -> int:
    """Print the report; 1 if something is at fault."""
    findings = list(examine())
    if as_json:
        rows = [{"name": one.name, "verdict": one.verdict, "detail": one.detail} for one in findings]
        say(dumps({"version": __version__, "findings": rows}))
    else:
        width = max(len(one.name) for one in findings)
        for one in findings:
            say(f"{SIGNS[one.verdict]} {one.name:<{width}}  {visible(one.detail)}")
    return 1 if any(one.verdict == "fault" for one in findings) else 0


def examine() -> Iterator[Finding]:
    """Look at everything, one finding after the other."""
    yield Finding(
        "dsh-tui", "ok", f"{__version__} on Python {platform.python_version()}, {platform.system()}"
    )
    home = Home.from_environment(os.environ)
    try:
        home.prepare()
        yield Finding("home", "ok", str(home.root))
    except HarnessError as error:
        yield Finding("home", "fault", error.message)
    try:
        settings = load_settings(home.settings)
        where = str(home.settings) if home.settings.exists() else "defaults, there is no settings.yaml"
        yield Finding("settings", "ok", f"{where}; model {settings.model}, mode {settings.mode}")
    except HarnessError as error:
        yield Finding("settings", "fault", error.message)
    yield _key(home)
    server = os.environ.get("DEEPSEEK_BASE_URL")
    if server:
        yield Finding("server", "note", f"DEEPSEEK_BASE_URL is set: {_PASSWORD.sub('//…@', server)}")
    yield _sandbox()
    yield _tool("bash", shutil.which("bash"), missing="fault", without="the agent can't run commands")
    rg = find_ripgrep()
    yield _tool("ripgrep", str(rg) if rg else None, missing="note", without="searching files is slower")
    yield _tool("git", shutil.which("git"), missing="note", without="branches are not shown")
    yield Finding("plugins", "ok", f"{len(find_plugins(home.plugins).sources)} in {home.plugins}")
    yield _terminal()


def _key(home: Home) -> Finding:
    try:
        credential = CredentialStore(home.credentials, os.environ).resolve("deepseek")
    except HarnessError as error:
        return Finding("key", "fault", error.message)
    if credential is None:
        return Finding("key", "note", "none; set DEEPSEEK_API_KEY, or enter one in the app")
    return Finding("key", "ok", f"from {credential.source}")


def _sandbox() -> Finding:
    try:
        backend = first_working(system_backends())
    except SandboxUnavailableError as error:
        return Finding("sandbox", "note", f"{error.message} Mode sandbox can't be chosen")
    if backend.enforcement == "full":
        return Finding("sandbox", "ok", f"{backend.name}, full enforcement")
    gaps = "; ".join(backend.gaps)
    return Finding(
        "sandbox", "note", f"{backend.name}, partial enforcement: {gaps} (install bubblewrap for more)"
    )


def _tool(name: str, path: str | None, *, missing: Verdict, without: str) -> Finding:
    return Finding(name, "ok", path) if path else Finding(name, missing, f"not found; {without}")


def _terminal() -> Finding:
    if not sys.stdout.isatty():
        return Finding("terminal", "note", "stdout is no terminal; the app needs one, exec does not")
    size = shutil.get_terminal_size()
    colours = os.environ.get("COLORTERM") or "no COLORTERM"
    return Finding(
        "terminal", "ok", f"{os.environ.get('TERM', 'unknown')}, {size.columns}×{size.lines}, {colours}"
    )
