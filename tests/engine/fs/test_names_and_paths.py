"""Names that can be shown and opened, and paths that are what they seem."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dsh_tui.engine.fs.errors import FsError
from dsh_tui.engine.fs.names import show_name, unquote
from dsh_tui.engine.fs.paths import follow, resolve
from dsh_tui.engine.fs.workspace import is_inside, reach_beyond

ODD = [
    "a\nb.txt",
    "x\x1b[31m.txt",
    "t\x1b]0;owned\x07.txt",
    "evil\u202egpj.exe",
    "zero\u200bwidth.txt",
    'quo"te\\\n',
    "trailing space ",
    "caf\udce9.txt",
    '"already"',
    "c1\x85",
    "\U000e0041tag",
]
PLAIN = ["[bold]n[/", "-rf", "$(touch p).txt", "a'b\"c.txt", ".hidden", "\u4e2d\u6587.txt", "back\\slash"]


@pytest.mark.parametrize("name", ODD)
def test_an_odd_name_is_shown_on_one_plain_line_and_read_back(name: str) -> None:
    shown = show_name(name)
    assert shown.isprintable()
    shown.encode("utf-8")
    assert unquote(shown) == name


@pytest.mark.parametrize("name", PLAIN)
def test_a_plain_name_is_shown_as_it_is(name: str) -> None:
    assert show_name(name) == name


@given(st.text(st.characters(exclude_categories=["Cs"]) | st.sampled_from("\udc80\udcff\udce9")))
def test_every_name_survives_being_shown(name: str) -> None:
    shown = show_name(name)
    assert "\n" not in shown
    assert (unquote(shown) if shown.startswith('"') else shown) == name


@pytest.mark.parametrize("name", [name for name in ODD if not name.startswith('"')])
def test_a_listed_name_opens_the_file(name: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text("x")
    assert resolve(tmp_path, show_name(name)) == tmp_path / name
    assert resolve(tmp_path, name) == tmp_path / name


def test_a_name_in_the_other_unicode_form_finds_the_file_and_never_makes_a_twin(tmp_path: Path) -> None:
    (tmp_path / "cafe\u0301").mkdir()
    (tmp_path / "cafe\u0301" / "u\u0308.txt").write_text("x")
    assert resolve(tmp_path, "caf\u00e9/\u00fc.txt") == tmp_path / "cafe\u0301" / "u\u0308.txt"
    (tmp_path / "caf\u00e9").mkdir()
    assert resolve(tmp_path, "caf\u00e9/new.txt") == tmp_path / "caf\u00e9" / "new.txt"


@pytest.mark.parametrize("raw", ["", "src/a\0.py", "file:///etc/passwd"])
def test_what_is_no_path_is_refused(raw: str, tmp_path: Path) -> None:
    with pytest.raises(FsError):
        resolve(tmp_path, raw)
    assert not is_inside(tmp_path, raw)


@pytest.mark.parametrize(
    ("raw", "inside"),
    [
        ("{root}/src/a.py", True),
        ("{root}", True),
        ("src/./a.py", True),
        ("src/../src/a.py", True),
        ("./..app/x", True),
        ("..x", True),
        ("$HOME/x", True),
        ("%2e%2e/x", True),
        ("not/there/yet.py", True),
        ("{root}-other/a.py", False),
        ("../app-other/a", False),
        ("src/../../secret", False),
        ("..", False),
        ("/", False),
        ("/etc/passwd", False),
        ("~/x", False),
        ("out/x", False),
        ("out/../y", False),
        ("loop/x", False),
    ],
)
def test_inside_means_below_the_root_once_all_is_resolved(raw: str, inside: bool, tmp_path: Path) -> None:
    root = tmp_path / "app"
    (root / "src").mkdir(parents=True)
    (tmp_path / "elsewhere").mkdir()
    (root / "out").symlink_to(tmp_path / "elsewhere")
    (root / "loop").symlink_to(root / "loop")
    assert is_inside(root, raw.format(root=root)) is inside


def test_a_link_into_the_workspace_counts_by_where_it_leads(tmp_path: Path) -> None:
    root = tmp_path / "app"
    root.mkdir()
    (root / "real").write_text("x")
    (tmp_path / "door").symlink_to(root)
    assert is_inside(tmp_path / "door", "real")
    assert is_inside(root, str(tmp_path / "door" / "real"))


@pytest.mark.parametrize(
    "raw",
    [".git/hooks/pre-commit", "sub/.git/config", ".GIT/config", ".dsh/plugins/x.py", ".dsh-tui/trust.json"],
)
def test_changing_what_runs_by_itself_reaches_beyond_the_workspace(raw: str, tmp_path: Path) -> None:
    assert is_inside(tmp_path, raw)
    assert reach_beyond(tmp_path / raw, tmp_path) == " that git or dsh-tui acts on by itself"
    assert reach_beyond(tmp_path / "src/x.py", tmp_path) == ""
    assert reach_beyond(tmp_path / ".gitignore", tmp_path) == ""


def test_a_link_to_what_runs_by_itself_is_seen_through(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / "innocent").symlink_to(tmp_path / ".git")
    assert reach_beyond(follow(tmp_path / "innocent/config"), tmp_path)


def test_a_kept_folder_reaches_beyond_whatever_its_name_and_on_either_side(tmp_path: Path) -> None:
    home = tmp_path / "home"
    beyond = " that git or dsh-tui acts on by itself"
    assert reach_beyond(home / "settings.yaml", tmp_path, [home]) == beyond
    assert reach_beyond(home / "plugins/a.py", home / "plugins", [home]) == beyond
    assert reach_beyond(tmp_path / "homely/a.py", tmp_path, [home]) == ""


def test_changing_a_file_with_other_names_reaches_beyond_the_workspace(tmp_path: Path) -> None:
    root, outside = tmp_path / "app", tmp_path / "outside"
    root.mkdir()
    outside.write_text("x")
    (root / "inside").hardlink_to(outside)
    assert is_inside(root, "inside")
    assert reach_beyond(root / "inside", root) == " that has other names too (hard links)"
    outside.unlink()
    assert reach_beyond(root / "inside", root) == ""


def test_following_a_loop_is_an_error_and_returns(tmp_path: Path) -> None:
    (tmp_path / "p").symlink_to("q")
    (tmp_path / "q").symlink_to("p")
    with pytest.raises(FsError, match="loop"):
        follow(tmp_path / "p")
