"""A rule goes into a settings file, and comes out again, without touching anything else."""

from __future__ import annotations

from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from dsh_tui.engine.permissions.rules_text import UneditableError, with_rule, without_rule

BODY = "bash(git log *)"
FILES = {
    "nothing": "",
    "no section": "# mine\nmodel: x\n",
    "no line end": "model: x",
    "empty section": "permissions:\n",
    "commented": "permissions:  # mine\n  # about\n  allow:\n    - bash(ls *)   # why\n    # end\ntheme: x\n",
    "empty flow": "permissions: {}\ntheme: x\n",
    "flow": "permissions: {allow: ['bash(ls *)']}\n",
    "flow list": "permissions:\n  allow: [ bash(ls *), 'bash(pwd)' ]  # two\n",
    "empty list": "permissions:\n  allow: []\n",
    "no list yet": "permissions:\n  allow:\n  deny: [bash]\n",
    "not indented": "permissions:\n  allow:\n  - bash(ls *)\n  - bash(pwd)",
    "deep": "permissions:\n        deny:\n                - bash(rm *)\nmodel: q",
    "windows": "permissions:\r\n  allow:\r\n    - bash(ls *)\r\n",
    "quoted": "permissions:\n  allow:\n    - \"bash(ls *)\"\n    - 'bash(it''s)'\n",
}


def rules_in(text: str) -> dict[str, list[str]]:
    section: dict[str, Any] = (yaml.safe_load(text) or {}).get("permissions") or {}
    return {effect: bodies for effect, bodies in section.items() if bodies}


def rest_of(text: str) -> dict[str, Any]:  # Any: YAML
    return {key: value for key, value in (yaml.safe_load(text) or {}).items() if key != "permissions"}


def comments_of(text: str) -> list[str]:
    return [line[line.index("#") :].rstrip() for line in text.splitlines() if "#" in line]


@pytest.mark.parametrize("effect", ["allow", "ask", "deny"])
@pytest.mark.parametrize("name", FILES)
def test_a_rule_comes_last_in_its_list_and_leaves_all_else(name: str, effect: str) -> None:
    before = FILES[name]
    after = with_rule(before, effect, BODY)
    known = rules_in(before)
    assert rules_in(after) == {**known, effect: [*known.get(effect, []), BODY]}
    assert rest_of(after) == rest_of(before)
    assert comments_of(after) == comments_of(before)
    assert ("\r\n" in after, after.count("\r")) == ("\r\n" in before, after.count("\r\n"))
    gone = without_rule(after, effect, BODY)
    assert rules_in(gone) == known
    assert rest_of(gone) == rest_of(before)
    assert comments_of(gone) == comments_of(before)


def test_the_lines_that_were_there_are_there_still() -> None:
    for before in FILES.values():
        after = with_rule(before, "allow", BODY).splitlines()
        kept = [
            line for line in before.splitlines() if not line.lstrip().startswith(("allow:", "permissions: {"))
        ]
        assert [line for line in after if line in kept] == kept


@settings(max_examples=60, deadline=None)
@given(
    body=st.text(st.characters(codec="utf-8"), min_size=1, max_size=40),
    effect=st.sampled_from(["allow", "ask", "deny"]),
    before=st.sampled_from(list(FILES.values())),
)
def test_any_text_is_quoted_so_that_it_reads_back(body: str, effect: str, before: str) -> None:
    after = with_rule(before, effect, f"bash({body})")
    assert rules_in(after)[effect][-1] == f"bash({body})"
    assert rules_in(without_rule(after, effect, f"bash({body})")) == rules_in(before)


def test_what_is_no_yaml_is_left_alone() -> None:
    with pytest.raises(UneditableError):
        with_rule("permissions: [", "allow", BODY)


def test_a_rule_over_several_lines_is_left_alone() -> None:
    with pytest.raises(UneditableError):
        without_rule("permissions:\n  allow:\n    - |-\n      bash(a\n      b)\n", "allow", "bash(a\nb)")


def test_a_rule_that_is_not_there_is_not_taken_out() -> None:
    assert without_rule(FILES["commented"], "deny", BODY) == FILES["commented"]
