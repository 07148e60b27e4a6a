"""A program that confines itself with Landlock and then becomes the command. Standard library only.

Started as ``python -I -S -c <this file> KIND FOLDER… : FILE… -- COMMAND ARGUMENT…``. KIND ``disk``:
below the folders everything may change, the files may be written, nothing else on the disk can, and no
local socket can be made. KIND ``processes``: only signals and abstract sockets to other processes are
cut. It fails closed: whatever goes wrong, it says so behind `PREFIX` and exits with `FAILED`; the
command has not run.
Source: capabilities B4; Linux, Documentation/userspace-api/landlock.rst.
"""

from __future__ import annotations

import ctypes
import errno
import os
import stat
import struct
import sys

PREFIX = "dsh-tui sandbox: "
FAILED = 125

_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446  # the same on every architecture
_VERSION = 1
_PATH_BENEATH = 1
_PR_CAPBSET_READ, _PR_CAPBSET_DROP, _PR_SET_NO_NEW_PRIVS = 23, 24, 38
_FILE_CAPABILITIES = frozenset({0, 1, 3, 4})
"""chown, dac_override, fowner, fsetid: root in a container works on folders that belong to others."""

_WRITE_FILE = 1 << 1
_CHANGE_TREE = sum(1 << bit for bit in range(4, 13))
"""Remove files and directories; make devices, directories, files, sockets, pipes and links."""
_MAKE_DEVICE = 1 << 6 | 1 << 11
_REFER = 1 << 13
"""From version 2: link and rename across directories. Before, the kernel refuses that everywhere."""
_TRUNCATE = 1 << 14
_IOCTL_DEV = 1 << 15
_SCOPE_ABSTRACT_SOCKETS, _SCOPE_SIGNALS = 1, 2

_SOCKET_CALLS = {"x86_64": (0xC000_003E, 41, 53), "aarch64": (0xC000_00B7, 198, 199)}
"""By machine: its number, and those of the calls ``socket`` and ``socketpair``."""
_IO_URING_SETUP, _AF_UNIX, _SOCK_DGRAM = 425, 1, 2
_PR_SET_SECCOMP, _SECCOMP_FILTER = 22, 2
_LOAD, _EQUAL, _AT_LEAST, _AND, _RETURN = 0x20, 0x15, 0x35, 0x54, 0x06
_ERRNO, _ALLOW = 0x0005_0000, 0x7FFF_0000

_libc = ctypes.CDLL(None, use_errno=True)
_ZERO = ctypes.c_ulong(0)


def _call(number: int, *arguments: object) -> int:
    """A system call; raises OSError where it fails."""
    result: int = _libc.syscall(ctypes.c_long(number), *arguments)
    if result < 0:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code))
    return result


def closes_sockets() -> bool:
    """Whether `close_local_sockets` knows this machine."""
    return os.uname().machine in _SOCKET_CALLS and sys.maxsize > 2**32


def version() -> int:
    """The version of Landlock that this kernel speaks.

    Raises:
        OSError: none.
    """
    return _call(_CREATE_RULESET, None, ctypes.c_size_t(0), ctypes.c_uint32(_VERSION))


def confine(kind: str, folders: list[str], files: list[str]) -> None:
    """Give up, for this process and all its children, changing anything but these.

    Raises:
        OSError: it is not confined.
    """
    known = version()
    handled = _writing(known) if kind == "disk" else 0
    scoped = _SCOPE_ABSTRACT_SOCKETS | _SCOPE_SIGNALS if known >= 6 else 0
    fields = [handled] if known < 4 else [handled, 0] if known < 6 else [handled, 0, scoped]
    attributes = b"".join(field.to_bytes(8, sys.byteorder) for field in fields)
    ruleset = _call(
        _CREATE_RULESET, ctypes.c_char_p(attributes), ctypes.c_size_t(len(attributes)), ctypes.c_uint32(0)
    )
    for path in folders:
        _allow(ruleset, path, handled & ~(_IOCTL_DEV | _MAKE_DEVICE))
    for path in files:
        _allow(ruleset, path, handled & (_WRITE_FILE | _TRUNCATE | _IOCTL_DEV))
    if _libc.prctl(_PR_SET_NO_NEW_PRIVS, *map(ctypes.c_ulong, (1, 0, 0, 0))) != 0:
        raise OSError(ctypes.get_errno(), "no_new_privs")
    _drop_capabilities()
    if kind == "disk":
        close_local_sockets()
    _call(_RESTRICT_SELF, ctypes.c_int(ruleset), ctypes.c_uint32(0))
    os.close(ruleset)


def _writing(known: int) -> int:
    """Every right to change something on the disk that this version of Landlock has a name for."""
    rights = _WRITE_FILE | _CHANGE_TREE
    rights |= _REFER if known >= 2 else 0
    rights |= _TRUNCATE if known >= 3 else 0
    return rights | (_IOCTL_DEV if known >= 5 else 0)


def _drop_capabilities() -> None:
    """Root's rights beyond files (devices, modules, mounts) lead around any rule; others have none."""
    number = 0
    while _libc.prctl(_PR_CAPBSET_READ, *map(ctypes.c_ulong, (number, 0, 0, 0))) >= 0:
        if number not in _FILE_CAPABILITIES:
            _libc.prctl(_PR_CAPBSET_DROP, *map(ctypes.c_ulong, (number, 0, 0, 0)))
        number += 1


def close_local_sockets() -> None:
    """Make no local sockets: a daemon that is asked over one acts outside. Rules for files don't cover them.

    Raises:
        OSError: the filter was refused.
    """
    if not closes_sockets():
        return
    architecture, socket, pair = _SOCKET_CALLS[os.uname().machine]
    refuse, unknown = _ERRNO | errno.EACCES, _ERRNO | errno.ENOSYS
    program = (
        (_LOAD, 0, 0, 4),  # the architecture: another one has other numbers
        (_EQUAL, 1, 0, architecture),
        (_RETURN, 0, 0, refuse),
        (_LOAD, 0, 0, 0),  # the call
        (_AT_LEAST, 0, 1, 0x4000_0000),  # x86 has a second set of numbers here
        (_RETURN, 0, 0, refuse),
        (_EQUAL, 0, 1, _IO_URING_SETUP),  # makes sockets past this filter
        (_RETURN, 0, 0, unknown),
        (_EQUAL, 0, 4, socket),
        (_LOAD, 0, 0, 16),  # the family
        (_EQUAL, 0, 1, _AF_UNIX),
        (_RETURN, 0, 0, refuse),
        (_RETURN, 0, 0, _ALLOW),
        (_EQUAL, 0, 4, pair),
        (_LOAD, 0, 0, 24),  # the type: a pair of datagram sockets can be sent elsewhere too
        (_AND, 0, 0, 0xF),
        (_EQUAL, 0, 1, _SOCK_DGRAM),
        (_RETURN, 0, 0, refuse),
        (_RETURN, 0, 0, _ALLOW),
    )
    filters = b"".join(struct.pack("=HBBI", *step) for step in program)
    buffer = ctypes.create_string_buffer(filters, len(filters))
    head = struct.pack("@HP", len(program), ctypes.addressof(buffer))
    pointer = ctypes.c_char_p(head)
    if _libc.prctl(_PR_SET_SECCOMP, ctypes.c_ulong(_SECCOMP_FILTER), pointer, _ZERO, _ZERO) != 0:
        raise OSError(ctypes.get_errno(), "seccomp")


def _allow(ruleset: int, path: str, access: int) -> None:
    try:
        beneath = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except FileNotFoundError:  # what is not there can't be written either
        return
    try:
        if not stat.S_ISDIR(os.fstat(beneath).st_mode):
            access &= _WRITE_FILE | _TRUNCATE | _IOCTL_DEV
        rule = access.to_bytes(8, sys.byteorder) + beneath.to_bytes(4, sys.byteorder)
        _call(
            _ADD_RULE,
            ctypes.c_int(ruleset),
            ctypes.c_int(_PATH_BENEATH),
            ctypes.c_char_p(rule),
            ctypes.c_uint32(0),
        )
    finally:
        os.close(beneath)


def main(arguments: list[str]) -> int:
    """Confine and run; returns only where that failed."""
    try:
        files_at, command_at = arguments.index(":"), arguments.index("--")
        confine(arguments[0], arguments[1:files_at], arguments[files_at + 1 : command_at])
        command = arguments[command_at + 1 :]
        os.execvp(command[0], command)  # noqa: S606  # becoming the command is the purpose
    except BaseException as error:  # noqa: BLE001  # no fault of any kind may let the command run free
        os.write(2, f"{PREFIX}{type(error).__name__}: {error}\n".encode("utf-8", "replace"))
    return FAILED


if __name__ == "__main__":
    os._exit(main(sys.argv[1:]))
