"""The rules in one settings file: rules are added and taken out, every other byte stays.

A changed file is checked before it takes the place of the old one: it must read as the old one did
but for the rule. Writers of this program wait for each other; the file is replaced, never torn.
Source: design §3.15, §4 (settings.yaml).
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final, TypeAlias

from dsh_tui.engine.base.atomic_file import write_atomic
from dsh_tui.engine.base.errors import HarnessError
from dsh_tui.engine.base.file_lock import take_lock
from dsh_tui.engine.base.private_folder import make_missing
from dsh_tui.engine.base.regular_file import UnreadableError, read_regular
from dsh_tui.engine.permissions.rule import Rule
from dsh_tui.engine.permissions.rules_text import UneditableError, beside_rules, with_rule, without_rule

PRIVATE: Final = 0o600
"""The mode of a file that was not there; one that was keeps its own."""
_LARGEST: Final = 1_048_576
LOCK_S: Final = 5.0
"""Longest that another writer is waited for."""


ReadRules: TypeAlias = Callable[[Path, bytes], tuple[Rule, ...]]
"""Gives the rules that the file would hold if these were its bytes, or raises a `HarnessError`."""


class RuleFileError(HarnessError):
    """A rule can't be kept in the file; nothing was changed."""

    code = "RULES_NOT_KEPT"


class RuleFile:
    """One settings file. All calls block."""

    def __init__(self, path: Path, read_rules: ReadRules) -> None:
        self.path = path
        self.lock_s = LOCK_S
        self._read_rules = read_rules

    def add(self, rules: Sequence[Rule], *, expected: bytes | None = None) -> bytes:
        """Put in those that are not there; what the file holds then. It must hold ``expected`` before.

        Raises:
            HarnessError, OSError: nothing was changed.
        """
        with self._locked() as path:
            before = _bytes_of(path, expected)
            known = self._read_rules(path, before)
            missing = [rule for rule in dict.fromkeys(rules) if rule not in known]
            return self._write(path, before, missing, with_rule, {*known, *missing})

    def remove(self, rule: Rule, *, expected: bytes | None = None) -> bytes:
        """Take it out, if it is there; what the file holds then. It must hold ``expected`` before.

        Raises:
            HarnessError, OSError: nothing was changed.
        """
        with self._locked() as path:
            before = _bytes_of(path, expected)
            known = self._read_rules(path, before)
            return self._write(path, before, [rule] if rule in known else [], without_rule, {*known} - {rule})

    def _write(
        self,
        path: Path,
        before: bytes,
        rules: Sequence[Rule],
        edit: Callable[[str, str, str], str],
        wanted: set[Rule],
    ) -> bytes:
        if not rules:
            return before
        text = before.decode("utf-8")
        try:
            for rule in rules:
                text = edit(text, rule.effect, rule.body)
            after = text.encode()
            kept = set(self._read_rules(path, after)) == wanted
            kept &= beside_rules(text) == beside_rules(before.decode("utf-8"))
        except (UneditableError, HarnessError) as error:
            raise RuleFileError(f"{path} is written in a way that can't be edited safely: {error}") from error
        if not kept:
            raise RuleFileError(f"{path} is written in a way that can't be edited safely; change it by hand")
        _bytes_of(path, before)
        write_atomic(path, after, mode=_mode_of(path))
        return after

    @contextmanager
    def _locked(self) -> Iterator[Path]:
        """The file that is meant, links followed, while no other writer of this program is at it."""
        path = Path(os.path.realpath(self.path))
        make_missing(path.parent)
        folder = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY)
        try:
            if not take_lock(folder, self.lock_s):
                raise RuleFileError(f"{path.parent} is locked by another program; try again when it is done")
            yield path
        finally:
            os.close(folder)


def _bytes_of(path: Path, expected: bytes | None) -> bytes:
    try:
        content = read_regular(path, _LARGEST)
    except FileNotFoundError:
        content = b""
    except UnreadableError as error:
        raise RuleFileError(f"{path}: {error.message}") from error
    if expected is not None and content != expected:
        raise RuleFileError(f"{path} was changed just now by somebody else; look at it, then try again")
    return content


def _mode_of(path: Path) -> int:
    try:
        return stat.S_IMODE(path.stat().st_mode)
    except FileNotFoundError:
        return PRIVATE
