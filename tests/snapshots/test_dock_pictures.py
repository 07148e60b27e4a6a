"""The approval dock with each kind of question. Look at a new picture before you accept it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from textual.pilot import Pilot

from dsh_tui.app import DshApp
from dsh_tui.engine.projection.views import ApprovalView, CardView, DiffHunk, DiffView
from dsh_tui.theme import DARK, LIGHT
from tests.fakes.dock_scene import PROPOSAL, dangerous, git_log
from tests.fakes.fake_bridge import FakeBridge
from tests.fakes.fake_chat import Hands, chat, command_approval, edit_approval
from tests.snapshots.pictures import SIZES, Compare, Steps, arm, keys, shoot, then

RETRY = DiffView(
    path="src/payments/retry.py",
    added=4,
    removed=4,
    hunks=(
        DiffHunk(
            38,
            38,
            (
                "-def retry(self, call, attempts=3):",
                "+def retry(self, call, attempts=5):",
                '     """Call until it works, waiting longer each time."""',
                "     for attempt in range(attempts):",
                "         try:",
                "             return call()",
                "         except TransientError as error:",
                '-            self._log.warning("attempt %s failed: %s", attempt, error)',
                "-            time.sleep(2 ** attempt)",
                "-    raise GaveUp(attempts)",
                '+            self._log.info("attempt %s failed: %s", attempt, error)',
                "+            self._clock.sleep(self._backoff(attempt))",
                "+    raise GaveUp(attempts, error)",
            ),
        ),
        DiffHunk(
            90,
            90,
            (
                " def backoff(n):",
                "-    return n * 2",
                "+    return min(60, 2 ** n)  # a\u200b minute",
            ),
        ),
    ),
)


def asking(*asked: ApprovalView) -> Callable[[], FakeBridge]:
    def bridge() -> FakeBridge:
        made = FakeBridge(chat(approvals=asked))
        made.proposals = {one.id: PROPOSAL for one in asked}
        return made

    return bridge


async def armed_again(pilot: Pilot[None]) -> None:
    app = pilot.app
    assert isinstance(app, DshApp)
    assert isinstance(app.monotonic, Hands)
    await pilot.pause()
    app.monotonic.pass_(1)
    app.chat.dock.tick()
    await pilot.pause()


def after(*pressed: str) -> Steps:
    return then(arm, keys(*pressed))


def an_edit() -> ApprovalView:
    card = CardView(kind="diff", diff=RETRY)
    return replace(edit_approval(), card=card, subject=RETRY.path, place=(2, 3))


def elsewhere() -> ApprovalView:
    return replace(
        git_log("a3"),
        session_id="s9",
        session_title="Fix tests",
        agent="main agent › explore",
        place=(1, 2),
    )


CLEAN = 'find . -name "*.pyc" -print0 | xargs -0 rm -rf\nrm -rf build/ dist/'
SCENES: dict[str, tuple[Callable[[], FakeBridge], Steps]] = {
    "command": (asking(git_log()), arm),
    "danger": (asking(dangerous(command=CLEAN)), arm),
    "danger-read": (asking(dangerous(command=CLEAN)), then(after("f", "escape"), armed_again)),
    "diff": (asking(an_edit()), arm),
    "diff-full": (asking(an_edit()), after("f")),
    "rule": (asking(git_log()), then(after("2"), armed_again)),
    "always": (asking(git_log()), then(after("3"), armed_again)),
    "reason": (asking(git_log()), after("5", *"show three only")),
    "instead": (asking(git_log()), after("5", "tab", "backspace", "backspace", "5")),
    "elsewhere": (asking(elsewhere(), command_approval()), arm),
    "explain": (asking(dangerous(command=CLEAN)), after("question_mark")),
}


@pytest.mark.parametrize("theme", [DARK, LIGHT])
@pytest.mark.parametrize("size", SIZES, ids=["80x24", "120x40"])
@pytest.mark.parametrize("name", SCENES)
def test_it_looks_as_it_was_accepted(
    snap_compare: Compare, name: str, size: tuple[int, int], theme: str
) -> None:
    shoot(snap_compare, *SCENES[name], size, theme)


@pytest.mark.parametrize("name", ["danger", "diff", "always", "instead", "elsewhere"])
def test_small_windows_look_as_they_were_accepted(snap_compare: Compare, name: str) -> None:
    shoot(snap_compare, *SCENES[name], (40, 12), DARK)
