"""What README.md names exists: commands, options, keys, settings and files."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
import yaml

from docs import generate_keys
from dsh_tui.actions import ACTIONS, BY_NAME, BY_SLASH, keys_of
from dsh_tui.cli import COMMANDS, main
from dsh_tui.engine.settings.home import Home
from dsh_tui.engine.settings.loader import parse_settings
from dsh_tui.engine.settings.schema import Settings
from dsh_tui.screens.request import RequestScreen
from dsh_tui.screens.timeline import TimelineScreen

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    """The fenced code of a language."""
    return re.findall(rf"^```{language}\n(.*?)^```", README, re.MULTILINE | re.DOTALL)


def invocations() -> list[list[str]]:
    """The arguments of every ``dsh-tui …`` that is printed, in code blocks and in the text."""
    lines = [line.partition("#")[0] for block in blocks("sh") for line in block.splitlines()]
    lines += re.findall(r"`(dsh-tui [^`]*)`", README)
    commands = [shlex.split(part) for line in lines for part in line.split("|")]
    return [words[1:] for words in commands if words[:1] == ["dsh-tui"]]


def section(title: str) -> str:
    return README.split(f" {title}\n", 1)[1].split("\n#", 1)[0]


def help_of(*words: str) -> None:
    """Print the help of a command."""
    with pytest.raises(SystemExit) as left:
        main([*words, "--help"])
    assert left.value.code == 0


def test_the_table_of_keys_is_up_to_date() -> None:
    assert generate_keys.written(README) == README, "run: python docs/generate_keys.py"


@pytest.mark.parametrize("words", invocations(), ids=" ".join)
def test_every_command_line_in_it_is_understood(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    command = [words[0]] if words[:1] and words[0] in COMMANDS else []
    verbs = words[1:2] if command == ["sessions"] else []
    help_of(*command, *verbs)
    shown = capsys.readouterr().out
    for option in [word for word in words if word.startswith("-") and word != "-"]:
        assert re.search(rf"(^|[\s,\[]){re.escape(option)}\b", shown), f"{option} is not in:\n{shown}"
    if command == ["plugins"]:
        assert words[1] in shown


@pytest.mark.parametrize("command", [*COMMANDS, ""])
def test_every_command_and_option_there_is_is_in_it(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    if command:
        assert f"dsh-tui {command}" in README
        return
    help_of()
    options = set(re.findall(r"(?<![\w-])--[a-z]+", capsys.readouterr().out))
    missing = options - {"--help", "--version", "--continue", "--resume", "--model"}
    assert [option for option in sorted(missing) if option not in README] == []


def test_every_slash_command_in_it_exists() -> None:
    named = set(re.findall(r"`/([a-z-]+)[^`/]*`", README))
    assert set(BY_SLASH) <= named <= set(BY_NAME)


def test_every_key_in_it_is_bound() -> None:
    known = {key for action in ACTIONS for key in keys_of(action)}
    places = (RequestScreen, TimelineScreen)
    bindings = [key for place in places for binding in place.BINDINGS for key in binding.key.split(",")]  # type: ignore[union-attr]  # ours are all Bindings
    known |= set(bindings)
    named = set(re.findall(r"`((?:ctrl|shift|alt)\+[^`]+|f\d+|esc|enter|tab|[a-zA-Z]|[{}?@/]|\d)`", README))
    assert named - known == set()
    assert {"ctrl+p", "f8", "{", "5"} <= named


def test_its_settings_are_valid_and_every_setting_is_in_it() -> None:
    [example] = blocks("yaml")
    settings = parse_settings(Path("settings.yaml"), example.encode())
    assert settings.plugins["word_count"] == {"words_per_minute": 240}
    assert set(yaml.safe_load(example)) <= set(Settings.model_fields)
    assert [name for name in Settings.model_fields if not re.search(rf"(`|\b){name}(`|:)", README)] == []


def test_the_places_it_names_are_where_things_are() -> None:
    named = {
        name.rstrip("/") for name in re.findall(r"^\| `([\w./-]+)` \|", section("Where things are"), re.M)
    }
    home = Home(Path("/home"))
    places = [
        home.sessions,
        home.index,
        home.trash,
        home.plugins,
        home.settings,
        home.last_settings,
        home.credentials,
        home.instructions,
        home.trust,
        home.logs,
        home.spill,
    ]
    assert named == {path.name for path in places}


def test_the_variables_it_names_are_read() -> None:
    named = set(re.findall(r"`([A-Z_]+)`", section("Environment")))
    sources = [path.read_text(encoding="utf-8") for path in (ROOT / "dsh_tui").rglob("*.py")]
    unread = {name for name in named if not any(f'"{name}"' in text for text in sources)}
    assert unread <= {"DEEPSEEK_API_KEY"}, "its name is put together from the provider's"
    assert len(named) >= 6


PAGES = [ROOT / "README.md", ROOT / "CHANGELOG.md", *sorted((ROOT / "docs").rglob("*.md"))]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    targets = re.findall(r"\]\(([^)#\s]+)\)", page.read_text(encoding="utf-8"))
    assert [name for name in targets if "://" not in name and not (page.parent / name).exists()] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_files_of_the_source_that_are_named_exist(page: Path) -> None:
    named = re.findall(r"`((?:[a-z_]+/)+(?:[a-z_]+\.py)?)`", page.read_text(encoding="utf-8"))
    roots = (ROOT, ROOT / "dsh_tui", ROOT / "dsh_tui" / "engine")
    own = {"sessions/", "trash/", "plugins/", "logs/", "spill/", "internal/"}  # of the home, and events
    assert [name for name in named if name not in own and not any((r / name).exists() for r in roots)] == []


def test_its_picture_is_small() -> None:
    assert (ROOT / "docs" / "images" / "chat.svg").stat().st_size < 200_000


@pytest.mark.parametrize("code", ["0", "1", "2", "3", "130"])
def test_its_exit_codes_are_those_of_exec(code: str) -> None:
    from dsh_tui.engine.frontends import exec as front

    known = {str(one) for one in (front.OK, front.FAILED, front.USAGE, front.REFUSED, front.INTERRUPTED)}
    assert code in known
    assert f"| {code} |" in section("Without a screen")
