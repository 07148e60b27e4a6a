"""The service: entry by entry, pinned to content, of one directory."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from dsh_tui.engine.kernel import Context, create_root
from dsh_tui.engine.trust import plugin
from dsh_tui.engine.trust.service import TRUST, TRUST_CHANGED, Trust


@pytest.fixture
async def root(tmp_path: Path) -> AsyncIterator[Context]:
    root = create_root()
    await root.plugin(plugin, plugin.TrustConfig(tmp_path / "home/trust.json"))
    yield root
    await root.fiber.dispose()


@pytest.fixture
def trust(root: Context) -> Trust:
    return root[TRUST]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    root = tmp_path / "project"
    (root / ".dsh/plugins").mkdir(parents=True)
    (root / ".dsh/plugins/one.py").write_text("a = 1\n")
    (root / ".dsh/settings.yaml").write_text("permissions: {allow: [bash(ls)]}\n")
    (root / "AGENTS.md").write_text("be kind")
    return root


def pending(trust: Trust, project: Path) -> list[str]:
    return [entry.path for entry in trust.standing(trust.manifest(project)).pending]


ALL = [".dsh/plugins/one.py", ".dsh/settings.yaml", "AGENTS.md"]


async def test_nothing_counts_before_it_is_trusted_and_all_of_it_then(trust: Trust, project: Path) -> None:
    assert pending(trust, project) == ALL
    assert not trust.is_trusted(project)
    assert trust.project_settings(project) is None
    await trust.trust(trust.manifest(project))
    assert pending(trust, project) == []
    assert trust.is_trusted(project)
    assert trust.project_settings(project) == b"permissions: {allow: [bash(ls)]}\n"


@pytest.mark.parametrize("name", ALL)
async def test_a_change_takes_only_that_entry_back_and_undoing_it_gives_it_again(
    trust: Trust, project: Path, name: str
) -> None:
    await trust.trust(trust.manifest(project))
    before = (project / name).read_bytes()
    (project / name).write_bytes(before + b"\n# more\n")
    standing = trust.standing(trust.manifest(project))
    assert [entry.path for entry in standing.changed] == [name]
    assert len(standing.trusted) == 2
    (project / name).write_bytes(before)
    assert trust.is_trusted(project)


async def test_an_added_file_asks_and_a_removed_one_does_not(trust: Trust, project: Path) -> None:
    await trust.trust(trust.manifest(project))
    (project / ".dsh/plugins/two.py").write_text("b = 2\n")
    assert pending(trust, project) == [".dsh/plugins/two.py"]
    (project / ".dsh/plugins/two.py").unlink()
    (project / "AGENTS.md").unlink()
    assert pending(trust, project) == []


async def test_a_file_added_to_a_package_is_a_change_of_it(trust: Trust, project: Path) -> None:
    pack = project / ".dsh/plugins/pack"
    pack.mkdir()
    (pack / "__init__.py").write_text("")
    await trust.trust(trust.manifest(project))
    (pack / "more.py").write_text("")
    assert pending(trust, project) == [".dsh/plugins/pack"]


async def test_what_was_shown_is_trusted_and_not_what_is_there_by_then(trust: Trust, project: Path) -> None:
    shown = trust.manifest(project)
    (project / "AGENTS.md").write_text("be evil")
    await trust.trust(shown)
    assert pending(trust, project) == ["AGENTS.md"]


async def test_trusting_home_says_nothing_of_what_is_below_it(trust: Trust, project: Path) -> None:
    await trust.trust(trust.manifest(project))
    below = project / "below"
    (below / ".dsh/plugins").mkdir(parents=True)
    (below / ".dsh/plugins/one.py").write_text("a = 1\n")
    assert pending(trust, below) == [".dsh/plugins/one.py"]


async def test_a_path_over_a_link_is_the_same_project(trust: Trust, project: Path, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(project)
    await trust.trust(trust.manifest(tmp_path / "link"))
    assert trust.is_trusted(project)


async def test_a_declined_content_is_not_asked_about_until_it_changes(trust: Trust, project: Path) -> None:
    await trust.decline(trust.manifest(project))
    standing = trust.standing(trust.manifest(project))
    assert standing.declined
    assert len(standing.pending) == 3
    (project / "AGENTS.md").write_text("be kinder")
    assert not trust.standing(trust.manifest(project)).declined


async def test_revoked_nothing_is_trusted_and_everybody_is_told(
    trust: Trust, root: Context, project: Path
) -> None:
    told: list[Path] = []
    root.on(TRUST_CHANGED, told.append)
    await trust.trust(trust.manifest(project))
    await trust.revoke(project)
    assert pending(trust, project) == ALL
    assert told == [project, project]


async def test_rules_that_the_user_writes_through_the_program_are_trusted_alone(
    trust: Trust, project: Path
) -> None:
    content = b"permissions: {allow: [bash(pwd)]}\n"
    (project / ".dsh/settings.yaml").write_bytes(content)
    await trust.pin_settings(project, content)
    assert trust.project_settings(project) == content
    assert pending(trust, project) == [".dsh/plugins/one.py", "AGENTS.md"]


async def test_a_project_without_anything_is_trusted_trivially(trust: Trust, tmp_path: Path) -> None:
    assert trust.is_trusted(tmp_path)
    assert trust.project_settings(tmp_path) is None
