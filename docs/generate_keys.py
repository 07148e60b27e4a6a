"""Writes the table of keys and commands in README.md from the action table.

python docs/generate_keys.py           writes the table
python docs/generate_keys.py --check   1 if the table is not what dsh_tui/actions.py says
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
if not __package__:  # run as a script
    sys.path.insert(0, str(ROOT))

from dsh_tui.actions import ACTIONS, Action, keys_of  # noqa: E402  # the path is set first

README = ROOT / "README.md"
BEGIN = "<!-- keys: made by docs/generate_keys.py -->\n"
END = "<!-- end of keys -->\n"


def written(readme: str) -> str:
    """The text with the table as it should be.

    Raises:
        ValueError: the marks around the table are not there.
    """
    before, begin, rest = readme.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise ValueError(f"README.md must hold {BEGIN.strip()} and {END.strip()}")
    return "".join((before, BEGIN, "\n", *_rows(), "\n", END, after))


def _rows() -> Iterator[str]:
    yield "| | keys | command | |\n| --- | --- | --- | --- |\n"
    group = ""
    for action in ACTIONS:
        first = f"**{action.group}**" if action.group != group else ""
        group = action.group
        keys = ", ".join(f"`{key}`" for key in keys_of(action))
        yield f"| {first} | {keys} | {_command(action)} | {_what(action)} |\n"


def _command(action: Action) -> str:
    if not action.slash:
        return ""
    argument = f" {action.argument}".replace("|", "\\|") if action.argument else ""
    return f"`/{action.slash}{argument}`"


def _what(action: Action) -> str:
    return f"{action.label}; {action.help}" if action.help else action.label


def main(arguments: list[str]) -> int:
    """Write the table, or with ``--check`` say whether it is up to date."""
    readme = README.read_text(encoding="utf-8")
    made = written(readme)
    if "--check" in arguments:
        return 0 if readme == made else 1
    README.write_text(made, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
