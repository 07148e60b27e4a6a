"""The one setting that the app writes by itself: where the model server is.

The file belongs to its owner: the one line that says it is replaced, else text is added at the end;
everything else, comments too, stays as it is.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Final

from dsh_tui.engine.base.atomic_file import write_atomic
from dsh_tui.engine.settings.faults import Fault
from dsh_tui.engine.settings.loader import SettingsError, parse_settings, read_settings

_LINE: Final = re.compile(rb"^([ \t]+base_url:[ \t]*)\S+(?=[ \t]*(?:#.*)?$)", re.MULTILINE)


def save_base_url(path: Path, provider: str, url: str) -> None:
    """Set ``providers.<provider>.base_url``.

    Raises:
        SettingsError: the file is broken, says it in a form that can't be edited safely, or the URL is none.
    """
    url = url.strip()
    before = read_settings(path) or b""
    named = parse_settings(path, before).providers
    if named:
        after, replaced = _LINE.subn(lambda line: line[1] + url.encode(), before)
        only = list(named) == [provider] and replaced == 1
    else:
        gap = b"" if not before or before.endswith(b"\n") else b"\n"
        after, only = before + gap + f"providers:\n  {provider}:\n    base_url: {url}\n".encode(), True
    if not only or parse_settings(path, after).providers[provider].base_url != url:
        raise SettingsError(
            path, Fault(None, f"names providers already; set providers.{provider}.base_url there")
        )
    write_atomic(Path(os.path.realpath(path)), after, mode=0o600)  # where a link leads: it stays one
