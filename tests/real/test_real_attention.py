"""What the terminal is told when nobody looks at it, byte for byte, and that its title comes back."""

from __future__ import annotations

import re

from tests.fakes.model_server import reply
from tests.real.stage import Stage

ASKS = reply(tool_calls=[("bash", {"command": "echo sk-secret", "description": "Say it"})])
TOLD = b"\x07\x1b]9;dsh-tui \xc2\xb7 project: approval waits: bash\x07"
_STRINGS = re.compile(rb"\x1b\][^\x07\x1b]*\x07")
"""Titles, notifications and other strings to the terminal, which end in a bell that does not ring."""


def test_a_question_is_told_to_who_looks_elsewhere_and_the_title_is_given_back(stage: Stage) -> None:
    stage.model.push(ASKS)
    with stage.app(rows=30) as app:
        app.wait_for("ready")
        app.type("go\r\x1b[O")  # and the focus goes
        app.wait_until(lambda: TOLD in app.raw, "the notification")
        app.wait_until(lambda: b"\x1b]2;\xe2\x97\x86 waiting" in app.raw, "a title that says it")
        app.wait_for("Run a command?")
        app.press("ctrl+q")
        assert app.wait_exit() == 0
    assert app.raw.count(TOLD) == 1
    bells = _STRINGS.sub(b"", app.raw).count(b"\x07")
    assert bells == 1, "one bell for one question"
    kept, given_back = app.raw.find(b"\x1b[22;2t"), app.raw.rfind(b"\x1b[23;2t")
    assert 0 < kept < app.raw.find(b"\x1b]2;") < given_back < app.raw.rfind(b"\x1b[?1049l")
    assert app.raw.count(b"\x1b[22;2t") == app.raw.count(b"\x1b[23;2t") == 1
    assert b"\x1b]2;" not in app.raw[given_back:]
