"""Rules that a project brings along: they count only while the user trusts that very content.

A trusted file that is broken allows nothing; what it denies and asks about counts as far as it can be
read, and a notice says so. What a person adds is put into the trusted content and nothing else, and
trusted with it. Source: design §3.14, §3.15.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from dsh_tui.engine.base.errors import HarnessError
from dsh_tui.engine.base.to_the_end import to_the_end
from dsh_tui.engine.kernel import Context
from dsh_tui.engine.permissions.broken_file import Strict, strict_rules
from dsh_tui.engine.permissions.events import RULES_IGNORED
from dsh_tui.engine.permissions.rule import Rule
from dsh_tui.engine.permissions.rule_file import ReadRules, RuleFile, RuleFileError
from dsh_tui.engine.permissions.unread import UnreadRule
from dsh_tui.engine.trust.layout import SETTINGS
from dsh_tui.engine.trust.project_files import LARGEST_SETTINGS
from dsh_tui.engine.trust.service import TRUST, Trust

FILE: Final = Path(SETTINGS)


class ProjectRules:
    """The rules of every project."""

    def __init__(self, ctx: Context, read_rules: ReadRules) -> None:
        self._ctx = ctx
        self._read_rules = read_rules
        self._read: dict[Path, tuple[bytes, Strict]] = {}

    def of(self, project: Path) -> tuple[Rule, ...]:
        """Those that count, in the order of the file."""
        return self._in_force(project).rules

    def unread(self, project: Path) -> tuple[UnreadRule, ...]:
        """What stands for those of a trusted file that can't be read."""
        return self._in_force(project).unread

    def _in_force(self, project: Path) -> Strict:
        trust = self._ctx.get(TRUST)
        content = None if trust is None else trust.project_settings(project)
        if content is None:
            return Strict()
        known = self._read.get(project)
        if known is None or known[0] != content:
            known = self._read[project] = (content, self._rules_in(project / FILE, content))
        return known[1]

    def are_writable(self, project: Path) -> bool:
        """Whether a rule that is added here would count."""
        return self._trusted(project) is not None

    async def add(self, project: Path, rules: Sequence[Rule]) -> None:
        """Put rules into the project's file, and trust it as it is then.

        Raises:
            HarnessError, OSError: they don't count.
        """
        trust, content = self._require_trusted(project)
        file = RuleFile(_file(project), self._read_bounded)
        after = await to_the_end(lambda: file.add(rules, expected=content))
        await trust.pin_settings(project, after)

    async def remove(self, project: Path, rule: Rule) -> None:
        """Take a rule out of the project's file, and trust what is left.

        Raises:
            HarnessError, OSError: it counts still.
        """
        trust, content = self._require_trusted(project)
        file = RuleFile(_file(project), self._read_bounded)
        after = await to_the_end(lambda: file.remove(rule, expected=content))
        await trust.pin_settings(project, after)

    def _read_bounded(self, path: Path, content: bytes) -> tuple[Rule, ...]:
        """What a file of these bytes would hold; of too many nothing would count."""
        if len(content) > LARGEST_SETTINGS:
            raise RuleFileError(f"{path} would be larger than {LARGEST_SETTINGS // 1024} KiB")
        return self._read_rules(path, content)

    def _rules_in(self, path: Path, content: bytes) -> Strict:
        try:
            return Strict(self._read_rules(path, content))
        except HarnessError as error:
            left = strict_rules(path, content, error.message)
            self._ctx.root.emit(RULES_IGNORED, f"{error.message}; until it is mended, {left.effect_now}")
            return left

    def _require_trusted(self, project: Path) -> tuple[Trust, bytes]:
        trusted = self._trusted(project)
        if trusted is None:
            raise RuleFileError(f"{project / FILE} is not trusted, so no rule of it would count")
        return trusted

    def _trusted(self, project: Path) -> tuple[Trust, bytes] | None:
        """The content that may be changed: what is trusted, or nothing where there is no file yet."""
        trust, path = self._ctx.get(TRUST), _file(project)
        if trust is None or _is_foreign(path.parent):
            return None
        content = trust.project_settings(project)
        if content is None and not os.path.lexists(path):
            content = b""
        return None if content is None else (trust, content)


def _file(project: Path) -> Path:
    return Path(os.path.realpath(project)) / FILE


def _is_foreign(folder: Path) -> bool:
    """Whether ``.dsh`` leads somewhere else, or is the home of the original and not a project's folder."""
    return folder.is_symlink() or (folder / FILE.name).is_symlink() or (folder / "sessions").exists()
