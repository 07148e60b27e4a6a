"""Files and folders that nobody may look into, also for a test that root runs.

Root may read everything by two capabilities; without them it obeys modes as its owner would. They are
dropped for one thread, and for threads that it starts.
"""

from __future__ import annotations

import ctypes
import os
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

_DAC_OVERRIDE, _DAC_READ_SEARCH = 1, 2
_VERSION_3 = 0x20080522


class _Header(ctypes.Structure):
    _fields_ = [("version", ctypes.c_uint32), ("pid", ctypes.c_int)]


class _Data(ctypes.Structure):
    _fields_ = [
        ("effective", ctypes.c_uint32),
        ("permitted", ctypes.c_uint32),
        ("inheritable", ctypes.c_uint32),
    ]


@contextmanager
def modes_obeyed() -> Iterator[None]:
    """Modes hold for this thread meanwhile. Skips the test where that can't be had."""
    if os.geteuid() != 0:
        yield
        return
    libc = ctypes.CDLL(None, use_errno=True)
    header, data = _Header(_VERSION_3, 0), (_Data * 2)()
    if libc.capget(ctypes.byref(header), data) != 0:
        pytest.skip("capabilities can't be read here")
    before = data[0].effective
    data[0].effective &= ~(1 << _DAC_OVERRIDE | 1 << _DAC_READ_SEARCH)
    if libc.capset(ctypes.byref(header), data) != 0:
        pytest.skip("capabilities can't be dropped here")
    try:
        yield
    finally:
        data[0].effective = before
        libc.capset(ctypes.byref(header), data)
