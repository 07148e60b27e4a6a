"""The one setting that the app writes by itself: where the model server is.

The file belongs to its owner: text is only ever added at its end, comments stay.
"""

from __future__ import annotations

from pathlib import Path

from dsh_tui.engine.base.atomic_file import write_atomic
from dsh_tui.engine.settings.loader import SettingsError, load_settings, parse_settings


def save_base_url(path: Path, provider: str, url: str) -> None:
    """Add ``providers.<provider>.base_url``.

    Raises:
        SettingsError: the file is broken, has providers already, or the URL is none.
    """
    if load_settings(path).providers:
        raise SettingsError(path, None, f"names providers already; set providers.{provider}.base_url there")
    before = path.read_bytes() if path.exists() else b""
    if before and not before.endswith(b"\n"):
        before += b"\n"
    after = before + f"providers:\n  {provider}:\n    base_url: {url.strip()}\n".encode()
    parse_settings(path, after)
    write_atomic(path, after, mode=0o600)
