"""Socket files that programs have open right now: doors to daemons that act outside of any sandbox.

A read-only mount does not close them. One that is opened later is not known here.
Source: Linux, proc_net(5).
"""

from __future__ import annotations

import stat
from collections.abc import Iterator
from pathlib import Path

_TABLE = Path("/proc/net/unix")
_PATH_AT = 7


def socket_files() -> Iterator[Path]:
    """Each that exists, by its absolute path; sockets without a file are left out."""
    try:
        lines = _TABLE.read_bytes().splitlines()[1:]
    except OSError:
        return
    seen: set[bytes] = set()
    for line in lines:
        fields = line.split(maxsplit=_PATH_AT)
        if len(fields) <= _PATH_AT or not fields[_PATH_AT].startswith(b"/") or fields[_PATH_AT] in seen:
            continue
        seen.add(fields[_PATH_AT])
        path = Path(fields[_PATH_AT].decode("utf-8", "surrogateescape"))
        try:
            if stat.S_ISSOCK(path.lstat().st_mode):
                yield path
        except OSError:  # gone, or in a folder that is closed to us
            continue
