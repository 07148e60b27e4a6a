"""Which directory is meant by a path: one that is reached over a link is the one that it leads to.

A link that is changed while the program runs leads where it led before. Blocks at the first look at a
path; every later one is a lookup. Source: design §4 (--continue), §5 (Sessions).
"""

from __future__ import annotations

import os
from functools import lru_cache

_MOST = 4_096


@lru_cache(maxsize=_MOST)
def real_folder(path: str) -> str:
    """The path without links; as it is if it can't be one of this machine."""
    if not path.startswith("/"):
        return path
    try:
        return os.path.realpath(path)
    except (OSError, ValueError):  # a NUL or half a surrogate pair in somebody's log
        return path
