"""Here-documents and ``[[ ]]``: text for a program that takes it for text, and looks without an effect."""

from __future__ import annotations

import pytest

from dsh_tui.engine.permissions.proposal import propose
from dsh_tui.engine.permissions.reader import Reader
from tests.engine.permissions.bash_calls import bash, judged

ALLOWED = (
    "cat *", "wc *", "tee *", "git *", "gh *", "python *", "python3 -", "sh *", "bash -s", "node *", "tool *",
    "xargs wc *", "timeout *", "grep *", "true", "./cat *", "make *",
)  # fmt: skip


@pytest.mark.parametrize(
    "command",
    [
        "cat <<'EOF'\n$(touch x) `touch x` $HOME\nEOF",
        "cat <<'EOF'\nit's a \"text\" \\\nEOF",
        'cat <<"E F"\nx\nE F',
        "cat <<\\E\nx\nE\n",
        "cat <<E\nplain text\nE",
        "cat <<-'E'\n\tx\n\tE\ntrue",
        "cat - <<'E' | wc -l\nx\nE",
        "cat <<'E' >/dev/null 2>&1\nx\nE",
        "git commit -F - <<'E'\nSubject\n\nBody\nE",
        "git commit --file=- <<'E'\nSubject\nE",
        "git commit -aF - --amend <<'E'\nSubject\nE",
        "git commit -qF- --author 'A B' x.py -- -p <<'E'\nSubject\nE",
        "git tag -a v1 -F - <<'E'\nText\nE",
        "git hash-object --stdin <<'E'\nText\nE",
        "gh pr create --body-file - <<'E'\nText\nE",
        "gh issue create --title e -F- <<'E'\nText\nE",
        "gh release create v1 --notes-file=- <<'E'\nText\nE",
        "(cat <<'E'\nx\nE\n) | cat \"$(cat)\"",
        "(cat <<'E'\nx\nE\n); cat \"$(python x.py)\"",
        "timeout 5 cat <<'E'\nx\nE",
        "if true; then cat <<'E'\nx\nE\nfi",
        "(cat <<'E'\nx\nE\n)",
        "cat <<'E' && python x.py\nx\nE",
    ],
)
def test_a_document_is_covered_with_the_command_that_takes_it_for_text(command: str) -> None:
    assert judged(command, *ALLOWED).decision == "allow"
    assert judged(command, "true", "python *").decision is None


# fmt: off
READ_BY_MORE = (
    "python <<'E'\nx\nE", "python - <<'E'\nx\nE", "python3 - <<'E'\nx\nE", "sh <<'E'\nx\nE",
    "bash -s <<'E'\nx\nE",
    "node <<'E'\nx\nE", "tool <<'E'\nx\nE", "xargs wc <<'E'\nx\nE", "timeout 5 python - <<'E'\nx\nE",
    "./cat <<'E'\nx\nE", "make -f - <<'E'\nx\nE", "git apply <<'E'\nx\nE", "git -C . commit -F - <<'E'\nx\nE",
    "gh api --input - <<'E'\nx\nE", "cat <<'E' | python -\nx\nE", "cat <<'E' | cat | tool\nx\nE",
    "cat <<'E' |\nx\nE\npython -", "cat <<'E' |& sh\nx\nE", "cat <<'E' | timeout 5 python -\nx\nE",
    "cat <<'E' | (tool)\nx\nE", "cat <<'E' | { cat; tool; }\nx\nE", "(cat; tool) <<'E'\nx\nE",
    "{ tool; } <<'E'\nx\nE", "if tool; then cat; fi <<'E'\nx\nE", "cat <<'E' | if tool; then cat; fi\nx\nE",
    "(cat <<'E'\nx\nE\n) | tool", "{ cat <<'E'\nx\nE\n} | tool", "cat \"$(cat <<'E'\nx\nE\n)\" | tool",
    "cat `cat <<'E'\nx\nE\n` | tool", "tee >(tool) <<'E'\nx\nE", "tool <(cat <<'E'\nx\nE\n)",
    "while cat; do tool; done <<'E'\nx\nE", "$X <<'E'\nx\nE", "[[ -f x ]] <<'E'\nx\nE",
    "(cat <<'E'\nx\nE\n) | cat \"$(tool)\"", "(cat <<'E'\nx\nE\n) | cat `tool`",
    "(cat <<'E'\nx\nE\n) | cat \"$(cat)$(true; tool)\"", "cat \"$(cat <<'E'\nx\nE\n)\" | cat $( (tool) )",
    "git commit <<'E'\n:!x\nE", "git commit --amend <<'E'\n:!x\nE", "git commit -m x -e <<'E'\n:!x\nE",
    "git commit -p -F - <<'E'\ne\nE", "git commit -F - --interactive <<'E'\ne\nE",
    "git commit -F - --patc <<'E'\ne\nE", "git commit -F x <<'E'\n:!x\nE", "git tag -a v1 <<'E'\n:!x\nE",
    "git commit -- -F - <<'E'\n:!x\nE", "git commit --author -F - <<'E'\n:!x\nE",
    "git commit -t -F - <<'E'\n:!x\nE", "cat <<'E' | git commit --amend\n:!x\nE",
    "gh pr create <<'E'\n:!x\nE", "gh pr comment 1 --editor -F - <<'E'\n:!x\nE",
    "gh pr comment 1 -we -F - <<'E'\n:!x\nE", "gh issue edit 1 -F x <<'E'\n:!x\nE",
)
UNCERTAIN = (
    "cat <<E\n$HOME\nE", "cat <<E\n$(true)\nE", "cat <<E\n`true`\nE", "cat <<E\n\\x\nE", "cat <<$E\nx\n$E",
    "cat <<'E'\nx", "cat <<'E'\nx\nE ", "cat <<'E' $(true)\nx\nE", "cat <<'A' <<'B'\nx\nA\ny\nB",
    "cat <<'E' > out\nx\nE", "cat <<'E' > ~/x\nx\nE", "cat <<<x",
    "cat <<'E' `true`\nx\nE", "cat <<'E' | cat `true`\nx\nE", "cat <<#E\nx\n#E",
    "cat $(cat <<'E'\nE x )\nE\n)", "cat <<'E'\nEx\nE", "cat <<-'E'\n\tE)\n\tE",
    "git commit -F - $X <<'E'\nx\nE", "gh pr create -F - $X <<'E'\nx\nE",
)
# fmt: on


@pytest.mark.parametrize("command", [*READ_BY_MORE, *UNCERTAIN])
def test_a_document_that_may_be_more_than_text_asks_whatever_is_allowed(command: str) -> None:
    assert judged(command, *ALLOWED).decision is None


@pytest.mark.parametrize("inside", ["$(%s)", '"$(%s)"', "`%s`", "<(%s)"])
def test_a_document_in_a_substitution_asks_where_bash_may_be_one_that_ends_it_early(inside: str) -> None:
    line = "cat " + inside % "cat <<'E'\n); touch x; (:\nE\n"
    assert Reader(line, platform="darwin").read().doubt
    assert not Reader(line, platform="linux").read().doubt
    assert not Reader("cat <<'E'\n); touch x\nE", platform="darwin").read().doubt


@pytest.mark.parametrize("command", ["cat <<'E'\nx\nE\ntouch y", "cat <<'E' && touch y\nx\nE"])
def test_what_stands_beside_a_document_needs_its_own_rule(command: str) -> None:
    assert judged(command, *ALLOWED).decision is None
    assert judged(command, *ALLOWED, "touch y").decision == "allow"


@pytest.mark.parametrize(
    ("command", "decision"),
    [
        ("cat <<'E'\ngit push\nE", "allow"),
        ("cat <<'E'\nx\nE\ngit push", "deny"),
        ("cat <<'E' | git push\nx\nE", "deny"),
        ("bash <<'E'\ngit push\nE", "ask"),
        ("cat <<E\n$(git push)\nE", "deny"),
        ("[[ -f x ]] && git push", "deny"),
        ("[[ -n $(git push) ]]", "deny"),
        ("[[ -f x ]]", "allow"),
        ("[[ -f x ]] && wc - <<'E'\nx\nE", "allow"),
    ],
)
def test_a_denied_command_is_found_beside_them_and_not_in_their_text(command: str, decision: str) -> None:
    assert judged(command, "deny bash(git push *)", "allow bash").decision == decision


def test_for_a_commit_whose_message_is_a_document_a_rule_is_offered_and_none_for_a_script() -> None:
    commit, script = "git commit -F - <<'E'\nSubject\nE", "python - <<'E'\nprint(1)\nE"
    assert [rule.text for rule in propose(bash(commit))] == ["allow bash(git commit -F -)"]
    assert propose(bash(script)) == ()


@pytest.mark.parametrize(
    ("command", "decision"),
    [
        ("git commit -m \"$(cat <<'E'\nSubject\n\nBody\nE\n)\"", "allow"),
        ("git commit -am \"$(cat <<'E'\nx\nE\n)\" --no-verify", "allow"),
        ('git commit --message "$X and `cat x`"', "allow"),
        ('git tag -a v1 -m "$X"', "allow"),
        ('git commit -S -m "$X"', "allow"),
        ('git commit --author x -m "$X"', "allow"),
        ('git commit -m -m "$X"', None),
        ('git commit -F -m "$X"', None),
        ('git commit --author -m "$X"', None),
        ('git commit -t -m "$X"', None),
        ('git commit --other -m "$X"', None),
        ('git commit $X -m "$Y"', None),
        ('git tag -u -m "$X"', None),
        ("git commit -m $X", None),
        ('git commit -m "$@"', None),
        ('git commit -m "${@}"', None),
        ('git commit -m "$X"{a,b}', None),
        ('git commit -m "$X"*', None),
        ('git commit "$X"', None),
        ('git commit -Cm "$X"', None),
        ('git commit -m x "$X"', None),
        ('git commit -m "$X" "$Y"', None),
        ('git log -m "$X"', None),
        ('git -C . commit -m "$X"', None),
        ('git commit -m "$(touch x)"', None),
    ],
)
def test_the_message_of_a_commit_may_be_whatever_it_becomes_as_long_as_it_is_one_word(
    command: str, decision: str | None
) -> None:
    assert judged(command, *ALLOWED).decision == decision


@pytest.mark.parametrize(
    "condition",
    [
        "-f x", "! -d x", "-z $X", '-n "$X"', "x", "$X == y", "$X != 'a b'", 'a = "b"', "a -nt b",
        "-f x && -f y || ! ! -e z", "-t 1", "x == -v",
    ],
)  # fmt: skip
def test_a_look_in_brackets_needs_no_rule_and_gives_none(condition: str) -> None:
    assert judged(f"[[ {condition} ]] && cat x", *ALLOWED).decision == "allow"
    assert judged(f"if [[ {condition} ]]; then cat x; else true; fi", *ALLOWED).decision == "allow"
    assert judged(f"[[ {condition} ]] || touch y", *ALLOWED).decision is None
    assert judged(f"[[ {condition} ]]", *ALLOWED).decision is None


@pytest.mark.parametrize(
    "condition",
    [
        "-v x", "-R x", "-o x", "x -eq 1", "1 -lt 2", "x =~ y", "$X == y*", "( x )", "x < y", "x > y",
        "`true`", "$(true)", '"$(true)"', "${X}", "${X:-y}", "$((1))", "<(true)", "a[1]", "-f", "!", "",
        "x y", "x ==", "== x", "x && ", "&& x", "-f -v x", "]]", "-f ]]", "~", "{a,b}", "x\n", "$'x'",
        "x |", "x;",
    ],
)  # fmt: skip
def test_more_than_a_look_in_brackets_asks(condition: str) -> None:
    assert judged(f"[[ {condition} ]] && cat x", *ALLOWED).decision is None
    assert judged(f"[[ {condition} ]] && cat x", "deny bash(git push *)", "allow bash").decision == "ask"
