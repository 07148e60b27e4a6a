"""What holds of rules for every command line."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from dsh_tui.engine.permissions.danger import danger
from dsh_tui.engine.permissions.judge import judge
from dsh_tui.engine.permissions.proposal import propose
from tests.engine.permissions.bash_calls import bash, call_of, judged, rules
from tests.engine.permissions.command_lines import CommandLines

# fmt: off
_PIECES = st.sampled_from((
    "git", "push", "log", "ls", " ", "  ", "\t", "\n", ";", "&&", "|", "&", "(", ")", "{ ", " }", "'", '"',
    "\\", "`", "$(", "$X", "<", ">", "#", "=", "sudo", "env", "eval", "sh -c", "xargs", "\0", "\r", "é",
    "\u00a0", "\U0007e0f0", "<<E", "E", "case", "in", "cp", "mv", "find", "-exec", "timeout", "-c", "-I",
    "-S", "make", "tar", "dd", "sed", "-i", "rsync", "ssh", "cd", "curl", "chmod", "-R", "of=", "tee", "trap",
    "fd", "-x", "python", "-", "{", "}", "[", "]",
))
# fmt: on
LINES = st.one_of(
    st.text(max_size=60),
    st.lists(_PIECES, max_size=16).map("".join),
    st.integers(0, 2**32).map(lambda seed: CommandLines(seed).line()),
)
QUIET = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
"""How long it takes says something of the machine only."""
ALLOWED = ("git log *", "ls *", "echo *")
DENIED = "deny bash(git push *)"


@settings(QUIET, max_examples=200)
@given(LINES)
@example("(" * 100_000)
@example("\ud800")
@example("{\U000829be \u00bc")
@example("[ " + "! " * 3_000 + "x ]")
@example("[[ " + "x || " * 1_500 + "y ]]")
@example("sudo " * 5_000)
@example("env -S " * 2_000)
def test_no_text_makes_a_judgement_fail(line: str) -> None:
    for call in (
        bash(line),
        bash("ls", workdir=line),
        call_of("edit", file_path=line),
        call_of("grep", path=line),
    ):
        assert judge(rules(DENIED, *ALLOWED, "deny edit(x/**)", "allow edit(**)", "allow grep(**)"), call).why
        danger(call)
        propose(call)


@settings(QUIET, max_examples=200)
@given(
    LINES,
    st.lists(st.sampled_from(["allow bash", *ALLOWED, "git *", "sh *", "sudo *"]), max_size=3),
)
def test_no_allow_rule_lifts_a_denial(line: str, more: list[str]) -> None:
    if judged(line, DENIED).decision is not None:
        assert judged(line, DENIED, *more).decision == judged(line, DENIED).decision


@settings(QUIET, max_examples=300)
@given(LINES)
def test_a_proposal_covers_the_call_that_it_is_made_for(line: str) -> None:
    for call in (bash(line), call_of("edit", file_path=line), call_of("glob", path=line)):
        if proposed := propose(call):
            assert judge(proposed, call).decision == "allow"


def _spelled(word: str, random: Random) -> str:
    """The word in another spelling that bash reads the same."""
    ways = ("{0}", "'{0}'", '"{0}"', "\\{0}", "$'{0}'", "$'\\x{1:02x}'", "''{0}", '{0}""')
    return "".join(random.choice(ways).format(char, ord(char)) for char in word)


@settings(QUIET, max_examples=200)
@given(st.randoms(use_true_random=False))
def test_no_spelling_of_a_denied_command_gets_by(random: Random) -> None:
    blank = random.choice([" ", "  ", "\t", " \\\n"])
    command = f"{_spelled('git', random)}{blank}{_spelled('push', random)}"
    framed = (
        random.choice(["%s", "ls; %s", "A=1 %s", "(%s)", "ls $(%s)", "sudo %s", "timeout 5 %s", "! %s x"])
        % command
    )
    assert judged(framed, DENIED, "allow bash", "git *").decision == "deny"


# fmt: off
ADDED = (
    "%s; touch x", "%s && touch x", "%s || touch x", "%s | touch x", "%s |& touch x", "%s & touch x",
    "%s\ntouch x", "touch x; %s", "touch x | %s", "! touch x; %s", "{ touch x; } && %s", "(touch x) && %s",
    "%s;touch x", "%s&touch x", "$(touch x); %s", "%s $(touch x)", "%s `touch x`", "%s <(touch x)",
    '%s "$(touch x)"', "%s # c\ntouch x", "%s > x", "%s <<<x", "A=1 %s", "if touch x; then %s; fi",
    "%s \\\n; touch x", "%s |\ntouch x",
)
# fmt: on


@pytest.mark.parametrize("joined", ADDED)
@settings(QUIET, max_examples=25)
@given(line=LINES)
@example(line="ls")
@example(line="git log && ls")
def test_no_way_to_add_an_uncovered_command_is_allowed(joined: str, line: str) -> None:
    open_ended = {"#", "<"} & set(line) or line.rstrip().endswith(("\\", ";", "&"))
    if judged(line, *ALLOWED).decision == "allow" and not open_ended:
        assert judged(joined % line, *ALLOWED).decision is None
