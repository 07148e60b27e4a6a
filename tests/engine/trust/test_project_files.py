"""What a project brings: everything that would take effect, and by name what never does."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from dsh_tui.engine.trust.manifest import Manifest
from dsh_tui.engine.trust.project_files import (
    LARGEST_CODE,
    LARGEST_PACKAGE,
    LARGEST_TOGETHER,
    MOST_FILES,
    MOST_NAMES,
    MOST_PLUGINS,
    files_signature,
    read_manifest,
)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    root = tmp_path / "project"
    (root / ".dsh/plugins").mkdir(parents=True)
    return root


def paths(manifest: Manifest) -> list[str]:
    return [entry.path for entry in manifest.entries]


def left_out(manifest: Manifest) -> dict[str, str]:
    return {one.path: one.why for one in manifest.left_out}


def test_plugins_rules_and_instructions_are_listed_with_what_was_read(project: Path) -> None:
    (project / ".dsh/plugins/one.py").write_text("a = 1\n")
    (project / ".dsh/plugins/pack").mkdir()
    (project / ".dsh/plugins/pack/__init__.py").write_text("from .inner import apply\n")
    (project / ".dsh/plugins/pack/inner.py").write_text("b = 2\n")
    (project / ".dsh/settings.yaml").write_text("permissions: {allow: [bash(ls)]}\n")
    (project / "AGENTS.md").write_text("be kind")
    (project / "CLAUDE.local.md").write_text("be brief")
    manifest = read_manifest(project)
    assert [(entry.kind, entry.path) for entry in manifest.entries] == [
        ("plugin", ".dsh/plugins/one.py"),
        ("plugin", ".dsh/plugins/pack"),
        ("rules", ".dsh/settings.yaml"),
        ("instructions", "AGENTS.md"),
        ("instructions", "CLAUDE.local.md"),
    ]
    one, pack = manifest.entries[:2]
    assert one.digest == hashlib.sha256(b"a = 1\n").hexdigest()
    assert [file.path for file in pack.files] == [
        ".dsh/plugins/pack/__init__.py",
        ".dsh/plugins/pack/inner.py",
    ]
    assert manifest.left_out == ()


def test_a_project_without_any_of_it_brings_nothing(tmp_path: Path) -> None:
    assert read_manifest(tmp_path) == Manifest(tmp_path)
    assert read_manifest(tmp_path / "gone") == Manifest(tmp_path / "gone")


def test_instructions_are_those_from_the_repositorys_root_down_and_not_below(project: Path) -> None:
    (project / ".git").mkdir()
    (project / "sub/deep").mkdir(parents=True)
    for directory in (project.parent, project, project / "sub", project / "sub/deep"):
        (directory / "AGENTS.md").write_text(f"of {directory.name}")
    assert paths(read_manifest(project / "sub")) == ["../AGENTS.md", "AGENTS.md"]


def test_plugins_of_a_parent_are_not_those_of_a_child(project: Path) -> None:
    (project / ".git").mkdir()
    (project / ".dsh/plugins/one.py").write_text("a = 1\n")
    (project / "sub").mkdir()
    assert read_manifest(project / "sub").entries == ()


def test_equal_siblings_are_one_and_empty_files_are_none(project: Path) -> None:
    (project / "AGENTS.md").write_text("same")
    (project / "CLAUDE.md").symlink_to("AGENTS.md")
    (project / "AGENTS.local.md").write_text("  \n")
    assert paths(read_manifest(project)) == ["AGENTS.md"]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("base_url: http://evil\n", "base_url: never taken from a project"),
        ("permissions: [\n", "is not YAML (line 2)"),
        ("- a\n", "is no mapping"),
        ("a: " + "[" * 30_000, "is nested too deeply"),
        ("a: &p permissions\n*p : {allow: [bash]}\n", "a, ?: never taken from a project"),
        ("b: {permissions: 1}\n? [permissions]\n: permissions\n", "b, ?: never taken from a project"),
        ("just text", "is no mapping"),
        ("permissions: a\x00b", "is not YAML"),
    ],
    ids=lambda value: value[:12],
)
def test_settings_without_rules_are_named_and_count_for_nothing(project: Path, text: str, says: str) -> None:
    (project / ".dsh/settings.yaml").write_text(text)
    manifest = read_manifest(project)
    assert manifest.entries == ()
    assert left_out(manifest)[".dsh/settings.yaml"].startswith(says)


def test_of_settings_with_rules_it_is_said_what_else_never_counts(project: Path) -> None:
    (project / ".dsh/settings.yaml").write_text("providers: {}\npermissions: {}\nmode: full\n")
    (entry,) = read_manifest(project).entries
    assert entry.note == "providers, mode: never taken from a project"


def _outside(path: Path) -> None:
    path.symlink_to("/etc/passwd")


def _nowhere(path: Path) -> None:
    path.symlink_to("missing.py")


def _looped(path: Path) -> None:
    path.symlink_to(path.name)


def _pipe(path: Path) -> None:
    os.mkfifo(path)


def _folder(path: Path) -> None:
    path.mkdir()


def _huge(path: Path) -> None:
    path.write_bytes(b"#" * (LARGEST_CODE + 1))


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (_outside, "leads out of the project, to /etc/passwd"),
        (_nowhere, "is a link that leads nowhere"),
        (_looped, "can't be read"),
        (_pipe, "is a pipe, not a file"),
        (_folder, "is a directory, not a file"),
        (_huge, "is larger than"),
    ],
)
@pytest.mark.parametrize("name", [".dsh/plugins/x.py", ".dsh/settings.yaml", "AGENTS.md"])
def test_what_is_no_plain_file_of_the_project_is_named_and_left_out(
    project: Path, name: str, make: Callable[[Path], None], says: str
) -> None:
    make(project / name)
    manifest = read_manifest(project)
    assert manifest.entries == ()
    assert left_out(manifest)[name].startswith(says)


def test_a_plugin_folder_that_leads_outside_is_left_out_as_one(project: Path, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "x.py").write_text("a = 1\n")
    (project / ".dsh/plugins").rmdir()
    (project / ".dsh/plugins").symlink_to(elsewhere)
    assert left_out(read_manifest(project)) == {".dsh/plugins": f"leads out of the project, to {elsewhere}"}


def test_a_dsh_folder_that_leads_outside_brings_nothing(project: Path, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    (project / ".dsh").rename(elsewhere)
    (elsewhere / "plugins/x.py").write_text("a = 1\n")
    (elsewhere / "settings.yaml").write_text("permissions: {}\n")
    (project / ".dsh").symlink_to(elsewhere)
    assert read_manifest(project).entries == ()


def test_one_bad_file_leaves_a_whole_package_out(project: Path) -> None:
    pack = project / ".dsh/plugins/pack"
    pack.mkdir()
    (pack / "__init__.py").write_text("")
    (pack / "inner.py").symlink_to("/etc/passwd")
    assert left_out(read_manifest(project)) == {
        ".dsh/plugins/pack": "leads out of the project, to /etc/passwd"
    }


def test_folders_of_a_package_that_can_not_be_imported_are_no_part_of_it(project: Path) -> None:
    pack = project / ".dsh/plugins/pack"
    for folder in ("inner", "a\nb", "__pycache__", "x.y"):
        (pack / folder).mkdir(parents=True)
        (pack / folder / "m.py").write_text("")
    (pack / "__init__.py").write_text("")
    (pack / "linked").symlink_to(pack / "inner")
    (entry,) = read_manifest(project).entries
    names = [file.path.removeprefix(".dsh/plugins/pack/") for file in entry.files]
    assert names == ["__init__.py", "inner/m.py"]


def test_too_much_is_bounded_and_named(project: Path) -> None:
    for number in range(MOST_PLUGINS + 1):
        (project / f".dsh/plugins/p{number:03}.py").write_text("a = 1\n")
    manifest = read_manifest(project)
    assert len(manifest.entries) == MOST_PLUGINS
    assert "more than 100 plugins" in left_out(manifest)[".dsh/plugins"]


def test_a_folder_of_too_many_names_is_not_looked_through(project: Path) -> None:
    for number in range(MOST_NAMES + 1):
        (project / f".dsh/plugins/{number}").touch()
    (project / "AGENTS.md").write_text("be kind")
    manifest = read_manifest(project)
    assert paths(manifest) == ["AGENTS.md"]
    assert left_out(manifest) == {".dsh/plugins": "plugins holds more than 2,000 names"}


def test_a_package_of_too_many_files_is_left_out(project: Path) -> None:
    pack = project / ".dsh/plugins/pack"
    pack.mkdir()
    (pack / "__init__.py").write_text("")
    for number in range(MOST_FILES):
        (pack / f"m{number}.py").write_text("")
    assert "more than 200 files" in left_out(read_manifest(project))[".dsh/plugins/pack"]


def put_package(project: Path, name: str, size: int) -> None:
    """A package of this many bytes, which takes none on the disk."""
    folder = project / ".dsh/plugins" / name
    folder.mkdir()
    (folder / "__init__.py").write_text("")
    for at in range(0, size, LARGEST_CODE):
        with (folder / f"part_{at}.py").open("wb") as file:
            file.truncate(min(LARGEST_CODE, size - at))


def test_a_package_of_too_many_bytes_is_left_out(project: Path) -> None:
    put_package(project, "fits", LARGEST_PACKAGE)
    put_package(project, "too_large", LARGEST_PACKAGE + 1)
    manifest = read_manifest(project)
    assert paths(manifest) == [".dsh/plugins/fits"]
    assert left_out(manifest) == {".dsh/plugins/too_large": "has more than 8 MiB of code"}


def test_what_is_too_much_together_is_left_out_and_the_rest_counts(project: Path) -> None:
    whole = LARGEST_TOGETHER // LARGEST_PACKAGE
    for number in range(whole + 1):
        put_package(project, f"p{number}", LARGEST_PACKAGE)
    (project / "AGENTS.md").write_text("be kind")
    manifest = read_manifest(project)
    assert paths(manifest) == [f".dsh/plugins/p{number}" for number in range(whole)]
    too_much = "is more than 32 MiB with the rest"
    assert left_out(manifest) == {f".dsh/plugins/p{whole}": too_much, "AGENTS.md": too_much}


def test_what_is_not_supported_yet_is_said_to_load_nothing(project: Path) -> None:
    (project / ".dsh/skills").mkdir()
    (project / ".dsh/hooks.json").write_text("{}")
    (project / ".dsh/mcp.yaml").write_text("")
    assert set(left_out(read_manifest(project))) == {".dsh/skills", ".dsh/hooks.json", ".dsh/mcp.yaml"}


def test_the_users_own_home_is_no_projects_folder(project: Path) -> None:
    (project / ".dsh/plugins/mine.py").write_text("a = 1\n")
    assert read_manifest(project, own_home=project / ".dsh").entries == ()


def test_a_name_with_line_ends_and_brackets_is_kept_as_it_is(project: Path) -> None:
    (project / ".dsh/plugins/a\n[b].py").write_text("a = 1\n")
    manifest = read_manifest(project)
    assert manifest.entries == ()
    assert left_out(manifest) == {".dsh/plugins/a\n[b].py": "its name is no plugin's"}


def test_the_signature_changes_with_every_file_that_counts(project: Path) -> None:
    (project / ".dsh/plugins/pack").mkdir()
    seen = [files_signature(project)]
    for name in (".dsh/plugins/x.py", ".dsh/plugins/pack/y.py", ".dsh/settings.yaml", "CLAUDE.md"):
        (project / name).write_text("1")
        seen.append(files_signature(project))
    assert len(set(seen)) == len(seen)
    assert files_signature(project) == seen[-1]
