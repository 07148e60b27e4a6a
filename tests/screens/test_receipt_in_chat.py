from __future__ import annotations

from dsh_tui.widgets.transcript import Transcript
from tests.fakes.fake_chat import app_over, started
from tests.fakes.history_chat import first_turn, with_history


def shown(text: Transcript) -> str:
    return "\n".join(line.row.content for line in text._frame)


async def test_enter_on_the_closing_line_opens_the_receipt_in_view_and_y_copies_it() -> None:
    app = app_over(first_turn())
    copied: list[str] = []
    async with started(app) as pilot:
        app.copy_to_clipboard = copied.append  # type: ignore[method-assign, assignment]  # the terminal's end
        text = app.chat.transcript
        await pilot.press("ctrl+x", "v", "enter")
        await pilot.pause()
        assert "src/retry.py" in shown(text)
        assert "pytest tests/test_retry.py -q" in shown(text)
        assert "y copies this" in shown(text)
        await pilot.press("y")
        await pilot.pause()
        assert copied[0].startswith("Turn 1: completed")
        assert "- Edit src/retry.py: allowed" in copied[0]
        await pilot.press("enter")
        await pilot.pause()
        assert "y copies this" not in shown(text)


async def test_a_session_that_a_crash_cut_opens_at_what_may_have_run() -> None:
    app = app_over(with_history())
    async with started(app):
        said = shown(app.chat.transcript)
        assert "Turn 6 was cut." in said
        assert "May have run; check before you repeat it:" in said
        assert "Run  make deploy" in said
