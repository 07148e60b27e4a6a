"""A project's own rules: they count while just that content is trusted, and never before."""

from __future__ import annotations

import stat
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from dsh_tui.engine.base.errors import HarnessError
from dsh_tui.engine.permissions.book import Permissions
from dsh_tui.engine.permissions.events import RULES_IGNORED
from dsh_tui.engine.session.session import Session
from dsh_tui.engine.trust import plugin as trust_plugin
from dsh_tui.engine.trust.project_files import LARGEST_SETTINGS
from dsh_tui.engine.trust.service import TRUST, Trust
from tests.fakes.permission_bench import open_rules_bench, rules

TEXT = "# ours\npermissions:\n  allow:\n    - bash(make *)  # builds\nmode: full\n"
(MAKE,) = rules("allow bash(make *)")
(LS,) = rules("allow bash(ls *)")


class Place:
    """A project with settings, the book that reads them, and what is trusted."""

    def __init__(self, book: Permissions, session: Session, trust: Trust, project: Path) -> None:
        self.book, self.session, self.trust, self.project = book, session, trust, project
        self.told: list[str] = []

    @property
    def settings(self) -> Path:
        return self.project / ".dsh" / "settings.yaml"

    @property
    def rules(self) -> list[tuple[str, str]]:
        return [(one.rule.text, one.scope) for one in self.book.rules(self.session)]

    def write(self, text: str) -> None:
        self.settings.parent.mkdir(exist_ok=True)
        self.settings.write_text(text)

    async def agree(self) -> None:
        await self.trust.trust(self.trust.manifest(self.project))


@asynccontextmanager
async def opened(tmp_path: Path) -> AsyncIterator[Place]:
    project = tmp_path / "app"
    project.mkdir()
    async with open_rules_bench(cwd=project) as it:
        await it.bench.root.plugin(trust_plugin, trust_plugin.TrustConfig(store=tmp_path / "trust.json"))
        place = Place(it.book, it.bench.session, it.bench.root[TRUST], project)
        it.bench.root.on(RULES_IGNORED, place.told.append)
        yield place


async def test_they_count_from_the_moment_they_are_trusted_until_they_change(tmp_path: Path) -> None:
    async with opened(tmp_path) as it:
        it.write(TEXT)
        assert it.rules == []
        await it.agree()
        assert it.rules == [("allow bash(make *)", "project")]
        it.write(TEXT.replace("make", "curl"))
        assert it.rules == []
        it.write(TEXT)
        assert it.rules == [("allow bash(make *)", "project")]
        await it.trust.revoke(it.project)
        assert it.rules == []


async def test_without_anybody_to_ask_about_trust_there_are_none(tmp_path: Path) -> None:
    (tmp_path / ".dsh").mkdir()
    (tmp_path / ".dsh" / "settings.yaml").write_text(TEXT)
    async with open_rules_bench(cwd=tmp_path) as it:
        assert it.book.rules(it.bench.session) == ()


async def test_a_trusted_file_that_is_broken_allows_nothing_keeps_what_it_denies_and_says_so_once(
    tmp_path: Path,
) -> None:
    async with opened(tmp_path) as it:
        it.write("permissions:\n  deny: ['bash(rm *)', 'edit(../x)']\n  allow:\n    - bash(ls\n    - bash\n")
        await it.agree()
        assert it.rules == it.rules == [("deny bash(rm *)", "project")]
        (unread,) = it.book.unread(it.session)
        assert (unread.rule.text, unread.rule.tool, unread.scope) == ("deny edit(../x)", "edit", "project")
        (told,) = it.told
        assert "it allows nothing and denies what it denied, and every call of edit asks" in told
        assert "settings.yaml:2: permissions.deny.1: " in told
        assert "\n" not in told


@pytest.mark.parametrize(
    "text",
    [
        "permissions: {allow: [bash], deny: edit}",
        "permissions: {allow: [bash, 'bash(a; b)']}",
        "permissions: {allow: [!!binary YmFzaA==]}",
        "permissions: {allow: [bash], alow: [edit]}",
        "permissions: {allow: [bash]}\npermissions: {allow: [bash]}",
        "permissions: {allow: [bash]}\n---\npermissions: {allow: [bash]}",
        "permissions: {allow: [bash]}\nx: [",
    ],
)
async def test_no_allow_of_a_trusted_file_counts_that_is_not_right_as_a_whole(
    tmp_path: Path, text: str
) -> None:
    async with opened(tmp_path) as it:
        it.write(text)
        await it.agree()
        assert not any(rule.startswith("allow") for rule, _ in it.rules)


async def test_what_a_person_adds_is_trusted_with_the_file_and_keeps_its_bytes(tmp_path: Path) -> None:
    async with opened(tmp_path) as it:
        it.write(TEXT)
        await it.agree()
        await it.book.add(it.session, (LS,), "project")
        assert it.settings.read_text() == TEXT.replace("builds\n", "builds\n    - bash(ls *)\n")
        assert it.rules == [("allow bash(make *)", "project"), ("allow bash(ls *)", "project")]
        await it.book.revoke(it.session, MAKE, "project")
        assert it.rules == [("allow bash(ls *)", "project")]
        assert it.trust.is_trusted(it.project)


async def test_a_project_without_settings_gets_a_private_file(tmp_path: Path) -> None:
    async with opened(tmp_path) as it:
        await it.book.add(it.session, (LS,), "project")
        assert it.rules == [("allow bash(ls *)", "project")]
        assert stat.S_IMODE(it.settings.stat().st_mode) == 0o600


async def refused(it: Place) -> None:
    before = it.settings.read_bytes() if it.settings.exists() else None
    with pytest.raises(HarnessError):
        await it.book.add(it.session, (LS,), "project")
    assert (it.settings.read_bytes() if it.settings.exists() else None) == before
    assert it.rules == []


async def test_nothing_is_added_to_a_file_that_is_not_trusted(tmp_path: Path) -> None:
    async with opened(tmp_path) as it:
        it.write(TEXT)
        await refused(it)
        assert not it.trust.is_trusted(it.project)


async def test_no_rule_makes_the_file_too_large_to_count(tmp_path: Path) -> None:
    async with opened(tmp_path) as it:
        before = TEXT + "#" * (LARGEST_SETTINGS - len(TEXT))
        it.write(before)
        await it.agree()
        with pytest.raises(HarnessError, match="would be larger than 64 KiB"):
            await it.book.add(it.session, (LS,), "project")
        assert it.settings.read_text() == before
        assert it.rules == [(MAKE.text, "project")]


async def test_nothing_is_written_through_links_or_into_the_home_of_another_program(tmp_path: Path) -> None:
    async with opened(tmp_path) as it:
        elsewhere = tmp_path / "elsewhere"
        elsewhere.mkdir()
        it.settings.parent.symlink_to(elsewhere)
        await refused(it)
        assert list(elsewhere.iterdir()) == []
        it.settings.parent.unlink()
        (it.settings.parent / "sessions").mkdir(parents=True)
        await refused(it)
