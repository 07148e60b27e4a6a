"""What docs/permissions.md says of rules and of destructive calls is so."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from dsh_tui.engine.permissions.danger import danger
from dsh_tui.engine.permissions.facts import CallFacts
from dsh_tui.engine.permissions.rule import Rule

PAGE = (Path(__file__).parents[2] / "docs" / "permissions.md").read_text()
_ENDINGS = {">": " /etc/x", ">>": " /etc/x", "dd of=": "/etc/x"}


def _rules() -> list[str]:
    block = re.search(r"```\n(.*?)```", PAGE.partition("## The language of rules")[2], re.DOTALL)
    assert block is not None
    texts = [re.sub(r"^(\w+) +", r"\1 ", line).partition("   ")[0] for line in block[1].splitlines()]
    return [re.sub(r" {2,}.*", "", text).strip() for text in texts]


def _destructive() -> list[str]:
    rows = PAGE.partition("## Destructive calls")[2].partition("\n## ")[0].splitlines()
    examples = [span for row in rows if row.startswith("| ") for span in re.findall(r"`([^`]+)`", row)]
    return [span for span in examples if span not in ("$X", "write", "edit")]


@pytest.mark.parametrize("text", _rules())
def test_rules_on_the_page_are_rules(text: str) -> None:
    assert Rule.parse(text).text == text


@pytest.mark.parametrize("example", _destructive())
def test_examples_on_the_page_are_destructive(example: str, tmp_path: Path) -> None:
    command = example.replace("\\|", "|").replace("…", "x")
    if command.startswith(("+", "-", ":")):
        command = f"git push origin {command}"
    command = f"ls {command}" if command.startswith(">") else command
    command += _ENDINGS.get(example, "")
    tries = [command, f"{command} x", f"{command} x /etc/x"]
    calls = [CallFacts(tool="bash", kind="execute", arguments={"command": t}, cwd=tmp_path) for t in tries]
    assert any(danger(call) for call in calls)
