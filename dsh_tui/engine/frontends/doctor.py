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
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

from dsh_tui import __version__
from dsh_tui.engine.base.errors import HarnessError
from dsh_tui.engine.base.lossless import dumps
from dsh_tui.engine.base.visible import exact_line
from dsh_tui.engine.credentials.store import CredentialStore
from dsh_tui.engine.frontends.speak import say
from dsh_tui.engine.fs.ripgrep import find_ripgrep
from dsh_tui.engine.instructions.files import own_fault
from dsh_tui.engine.plugin_folder.source import find_plugins
from dsh_tui.engine.sandbox.backends import first_working, system_backends
from dsh_tui.engine.sandbox.seam import SandboxUnavailableError
from dsh_tui.engine.settings.home import Home, HomeError
from dsh_tui.engine.settings.last_good import LastGood
from dsh_tui.engine.settings.loader import SettingsError, load_settings
from dsh_tui.engine.settings.settings_file import SettingsFile
from dsh_tui.engine.trust.store import TrustStore

Verdict = Literal["ok", "note", "fault"]
_PROVIDER: Final = "deepseek"
_ROOM: Final = 104_857_600
"""Bytes on the disk below which a day's work may not fit."""
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
            say(f"{SIGNS[one.verdict]} {one.name:<{width}}  {exact_line(one.detail)}")
    return 1 if any(one.verdict == "fault" for one in findings) else 0


def examine() -> Iterator[Finding]:
    """Look at everything, one finding after the other."""
    yield Finding(
        "dsh-tui", "ok", f"{__version__} on Python {platform.python_version()}, {platform.system()}"
    )
    try:
        home = Home.from_environment(os.environ)
    except HomeError as error:
        yield Finding("home", "fault", error.message)
    else:
        yield from _home(home)
        if os.path.isdir(home.root):  # noqa: PTH112  # a closed one above it is none, and no error
            yield from _settings(home)
            yield from _key(home)
            yield from _server(home)
            yield _instructions(home)
            yield _trust(home)
            yield from _plugins(home)
    yield _sandbox()
    yield _tool("bash", shutil.which("bash"), missing="fault", without="the agent can't run commands")
    rg = find_ripgrep()
    yield _tool("ripgrep", str(rg) if rg else None, missing="note", without="searching files is slower")
    yield _tool("git", shutil.which("git"), missing="note", without="branches are not shown")
    yield _terminal()


def _home(home: Home) -> Iterator[Finding]:
    try:
        home.prepare()
    except HomeError as error:
        yield Finding("home", "fault", error.message)
        return
    yield Finding("home", "ok", str(home.root))
    for folder in (home.sessions, home.plugins, home.logs, home.spill, home.trash):
        if why := _closed(folder):
            yield Finding("home", "fault", f"{folder} can't be used: {why}; give yourself the right to")
    free = shutil.disk_usage(home.root).free
    if free < _ROOM:
        yield Finding("home", "fault", f"{free // 1_048_576} MiB are free; soon nothing can be saved")


def _closed(folder: Path) -> str:
    """Why a folder that is there can't be used; empty if it can."""
    try:
        os.scandir(folder).close()
    except FileNotFoundError:
        return ""
    except OSError as error:
        return error.strerror or str(error)
    return "" if os.access(folder, os.W_OK | os.X_OK) else "nothing can be written there"


def _settings(home: Home) -> Iterator[Finding]:
    try:
        settings = load_settings(home.settings)
    except SettingsError as error:
        yield from (Finding("settings", "fault", line) for line in error.all)
        file = SettingsFile(home.settings, tolerant=True, last_good=LastGood(home.last_settings))
        yield Finding("settings", "note", f"exec refuses; the app opens: {file.instead}")
        return
    where = str(home.settings) if os.path.lexists(home.settings) else "defaults, there is no settings.yaml"
    yield Finding("settings", "ok", f"{where}; model {settings.model}, mode {settings.mode}")


def _key(home: Home) -> Iterator[Finding]:
    source = "DEEPSEEK_API_KEY" if os.environ.get("DEEPSEEK_API_KEY", "").strip() else ""
    try:
        kept = CredentialStore(home.credentials, {}).resolve(_PROVIDER)
    except HarnessError as error:
        yield Finding("key", "note" if source else "fault", error.message)
    else:
        source = source or (kept.source if kept is not None else "")
        if not source:
            yield Finding("key", "note", "none; set DEEPSEEK_API_KEY, or enter one in the app")
    if source:
        yield Finding("key", "ok", f"from {source}")


def _server(home: Home) -> Iterator[Finding]:
    """Where requests go, if that is another than the provider's own."""
    named = os.environ.get("DEEPSEEK_BASE_URL", "").strip()
    shown = _PASSWORD.sub("//…@", named)
    if named and not named.startswith(("http://", "https://")):
        yield Finding("server", "fault", f"DEEPSEEK_BASE_URL is no http:// or https:// address: {shown}")
    elif named:
        yield Finding("server", "note", f"DEEPSEEK_BASE_URL is set: {shown}")
    try:
        provider = load_settings(home.settings).providers.get(_PROVIDER)
    except SettingsError:
        return  # told already
    if provider is not None and provider.base_url:
        wins = "; DEEPSEEK_BASE_URL wins over it" if named else ""
        yield Finding("server", "ok", f"{_PASSWORD.sub('//…@', provider.base_url)}, from settings.yaml{wins}")


def _instructions(home: Home) -> Finding:
    if fault := own_fault(home.instructions):
        return Finding("instructions", "fault", fault)
    exist = os.path.lexists(home.instructions)
    return Finding("instructions", "ok", str(home.instructions) if exist else "none of your own")


def _trust(home: Home) -> Finding:
    store = TrustStore(home.trust)
    if store.fault:
        return Finding("trust", "fault", store.fault)
    return Finding("trust", "ok", f"{len(store.trusted)} projects")


def _plugins(home: Home) -> Iterator[Finding]:
    found = find_plugins(home.plugins)
    yield from (Finding("plugins", "fault", one.why) for one in found.unread.values())
    check = "; `dsh-tui plugins check` loads them" if found.sources else ""
    yield Finding("plugins", "ok", f"{len(found.sources)} in {home.plugins}{check}")


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
    term = os.environ.get("TERM", "unknown")
    if term == "dumb":
        return Finding("terminal", "fault", "TERM=dumb can't show the app; exec needs no terminal")
    if sys.stdout.encoding.lower() not in ("utf-8", "utf8"):
        return Finding("terminal", "note", f"{sys.stdout.encoding}; set a locale with UTF-8, such as C.UTF-8")
    size = shutil.get_terminal_size()
    colours = os.environ.get("COLORTERM") or "no COLORTERM"
    return Finding("terminal", "ok", f"{term}, {size.columns}×{size.lines}, {colours}")
