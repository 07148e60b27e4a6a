"""The text of rules."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dsh_tui.engine.permissions.command_pattern import CommandPattern, read_pattern
from dsh_tui.engine.permissions.rule import Rule, RuleError


@pytest.mark.parametrize(
    "text",
    [
        *(
            "allow bash(git log *)",
            "deny bash(rm *)",
            "ask bash",
            "allow bash('my tool' \"x y\" *)",
            "deny edit(.env)",
        ),
        *(
            "allow edit(src/**/*.py)",
            "allow read(/usr/share/**)",
            "allow read(~/notes/*.md)",
            "allow todo_write",
        ),
        *(
            "allow mcp__github__list-issues",
            "allow bash(git log '*')",
            "allow bash(npm run a:b)",
            "allow grep(**)",
        ),
    ],
)
def test_a_rule_reads_back_as_it_is_written(text: str) -> None:
    rule = Rule.parse(text)
    assert rule.text == text
    assert Rule.of(rule.effect, rule.body) == rule


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "begins with none of allow, ask, deny"),
        ("permit bash", "begins with none of"),
        ("allow", "write `tool` or `tool(pattern)`"),
        ("allow bash(git", "write `tool` or `tool(pattern)`"),
        ("allow bash (git)", "write `tool` or `tool(pattern)`"),
        ("allow bash()", "Write `bash` for every call"),
        ("allow bash(*)", "Write `bash` for every call"),
        ("allow bash(git * log)", "only its end may be ` *`"),
        ("allow bash(git log*)", "not literal"),
        ("allow bash($X)", "quote characters"),
        ("allow bash(git log; ls)", "one rule for each"),
        ("allow bash(git log | ls)", "one rule for each"),
        ("allow bash(git log\nls)", "control characters"),
        ("allow bash(/x\0/ls)", "control characters"),
        ("allow bash(A=1 make)", "assignment"),
        ("allow bash(ls > x)", "redirect"),
        ("allow bash(ls $(x))", "one rule for each"),
        ("allow bash('')", "names no command"),
        ("allow bash(ls 'x)", "quote that is not closed"),
        ("allow bash(# x)", "names no command"),
        ("allow edit(../x)", "`..`"),
        ("allow edit()", "empty"),
        ("allow edit(a[b)", "not valid"),
        ("allow todo_write(x)", "takes no pattern"),
    ],
)
def test_what_is_no_rule_is_said_in_one_line(text: str, says: str) -> None:
    with pytest.raises(RuleError) as caught:
        Rule.parse(text)
    assert says in caught.value.message
    assert "\n" not in caught.value.message


def test_words_of_a_pattern_may_be_quoted_like_words_of_a_command() -> None:
    assert read_pattern("\"git\" pu'sh' a\\ b *") == CommandPattern(("git", "push", "a b"), more=True)
    assert read_pattern("git log '*'") == CommandPattern(("git", "log", "*"), more=False)


@given(st.lists(st.text(st.characters(codec="utf-8", exclude_categories=["C"])), min_size=1), st.booleans())
def test_a_pattern_reads_back_whatever_its_words_are(words: list[str], more: bool) -> None:
    pattern = CommandPattern(("cmd", *words), more)
    assert read_pattern(pattern.text) == pattern


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("bash(git log *)", "allow bash(git log *)"),
        (" deny  edit(.env)", "deny edit(.env)"),
        ("read", "allow read"),
    ],
)
def test_a_rule_as_people_type_it_allows_unless_it_says_what_else(text: str, rule: str) -> None:
    assert Rule.typed(text).text == rule
