from __future__ import annotations

from dataclasses import replace

import pytest

from dsh_tui.engine.projection.cost import CostView
from dsh_tui.engine.projection.views import (
    AnswerView,
    CallState,
    CommandRun,
    Decision,
    DiffHunk,
    DiffView,
    FileChange,
    NoticeView,
    ReceiptView,
    ThinkingView,
    ToolView,
    TurnEndView,
    UserView,
)
from dsh_tui.theme import THEMES
from dsh_tui.widgets import (
    diff_block,
    notice_block,
    thinking_block,
    tool_block,
    turn_end_block,
    user_block,
)
from dsh_tui.widgets.block_rows import draw, foldable, source, unified
from dsh_tui.widgets.palette import Palette, palette_from
from dsh_tui.widgets.row import Row


def palette(number: int = 0) -> Palette:
    theme = THEMES[number]
    return palette_from({**theme.to_color_system().generate(), **theme.variables})


INK = palette()
TOOL = ToolView(
    seq=1,
    call_id="c",
    name="bash",
    verb="Run",
    subject="pytest -q",
    state="ok",
    arguments='{"command": "pytest -q"}',
    output="\n".join(f"out {n}" for n in range(20)),
    summary="exit 0",
    duration_ms=2400,
)
DIFF = DiffView(
    "src/retry.py",
    1,
    1,
    (
        DiffHunk(
            41, 41, (" def wait(self, n):", "-    start = time.monotonic()", "+    start = self._clock()")
        ),
    ),
)


def drawn(rows: list[Row]) -> list[str]:
    return ["".join(segment.text for segment in row.segments).rstrip() for row in rows]


def test_a_tool_that_went_well_is_one_line() -> None:
    (line,) = drawn(tool_block.render(TOOL, 80, INK, folded=True))
    assert line.startswith("    ✓ Run     pytest -q")
    assert line.endswith("exit 0     2.4 s")


def test_a_failure_opens_itself_to_its_end_and_says_what_is_left_out() -> None:
    rows = drawn(tool_block.render(replace(TOOL, state="failed"), 80, INK, folded=True))
    assert rows[0].startswith("    ✗ Run")
    left_out = "      │ 14 earlier lines   ctrl+o opens all"
    assert rows[1:] == [left_out, *(f"      │ out {n}" for n in range(14, 20))]


def test_a_failure_does_not_say_its_status_twice() -> None:
    output = "no such file\n\n[exit code: 2]"
    view = replace(TOOL, state="failed", summary="exit 2", output=output)
    assert drawn(tool_block.render(view, 80, INK, folded=True))[1:] == ["      │ no such file"]
    assert "[exit code: 2]" in drawn(tool_block.render(view, 80, INK, folded=False))[-1]
    silent = replace(view, output="\n[exit code: 2]")
    assert len(tool_block.render(silent, 80, INK, folded=True)) == 1


def test_an_opened_card_shows_command_and_output() -> None:
    rows = drawn(tool_block.render(TOOL, 80, INK, folded=False))
    assert rows[1] == "      │ $ pytest -q"
    assert rows[-1] == "      │ out 19"


def test_a_running_card_shows_its_newest_line() -> None:
    rows = drawn(tool_block.render(replace(TOOL, state="running"), 80, INK, folded=True))
    assert rows[1] == "      │ out 19"


@pytest.mark.parametrize("state", ["streaming", "queued", "running", "waiting", "denied", "cancelled"])
def test_a_state_is_told_in_words(state: CallState) -> None:
    view = replace(TOOL, state=state, summary="", output="", duration_ms=None)
    (line,) = drawn(tool_block.render(view, 80, INK, folded=True))
    assert any(
        word in line for word in ("writing", "queued", "running", "waiting for you", "denied", "cancelled")
    )


def test_a_denial_says_first_that_it_is_one_then_whose() -> None:
    view = replace(TOOL, state="denied", summary="by you", output="", duration_ms=None)
    (line,) = drawn(tool_block.render(view, 80, INK, folded=True))
    assert line.endswith("denied · by you")


def test_a_failure_that_stands_below_in_full_is_not_said_twice() -> None:
    view = replace(TOOL, state="failed", summary="No such file", output="Error: No such file\nhere")
    head, *below = drawn(tool_block.render(view, 80, INK, folded=True))
    assert "No such file" not in head
    assert below == ["      │ Error: No such file", "      │ here"]
    long = replace(view, output="Error: No such file\n" + "more\n" * 20)
    head, *below = drawn(tool_block.render(long, 80, INK, folded=True))
    assert "No such file" in head


def test_a_denial_keeps_the_words_of_the_person() -> None:
    view = replace(TOOL, state="denied", feedback="use make", output="")
    assert "      │ You said: use make" in drawn(tool_block.render(view, 80, INK, folded=True))


def test_a_narrow_card_keeps_glyph_verb_and_object() -> None:
    (line,) = drawn(tool_block.render(TOOL, 20, INK, folded=True))
    assert line == "    ✓ Run     pyte…"


def test_a_diff_has_numbers_signs_and_marks_the_words() -> None:
    rows = diff_block.render(DIFF, 60, INK)
    assert drawn(rows) == [
        " 41   def wait(self, n):",
        " 42 −     start = time.monotonic()",
        " 42 +     start = self._clock()",
    ]
    grounds = {segment.text: segment.style.bgcolor for segment in rows[1].segments if segment.style}
    assert grounds["time"] == INK.removed_word.bgcolor
    assert grounds["    start = "] == INK.removed.bgcolor


def test_a_diff_copies_as_a_patch() -> None:
    view = replace(TOOL, name="edit", diff=DIFF)
    assert source(view) == unified(DIFF)
    assert unified(DIFF).splitlines()[:3] == ["--- src/retry.py", "+++ src/retry.py", "@@ -41,2 +41,2 @@"]


def test_a_prompt_stands_at_two_behind_its_bar_with_its_time_at_the_right() -> None:
    rows = drawn(user_block.render(UserView(seq=1, text="one\ntwo", time=0), 60, INK, folded=True))
    assert rows[0].startswith("  ▌ one")
    assert rows[0].endswith(":00") or rows[0].endswith(":30")
    assert rows[1] == "  ▌ two"


def test_a_long_prompt_is_folded_and_counted() -> None:
    text = "\n".join(f"line {n}" for n in range(40))
    rows = drawn(user_block.render(UserView(seq=1, text=text, time=0), 60, INK, folded=True))
    assert len(rows) == user_block.FOLDED_LINES + 1
    assert "28 more lines" in rows[-1]
    assert len(user_block.render(UserView(seq=1, text=text, time=0), 60, INK, folded=False)) == 40


@pytest.mark.parametrize(
    ("text", "gist"),
    [("bash-1 has ended\nIts output", "bash-1 has ended"), ("<mode>\nask", "2 lines")],
)
def test_context_is_one_line_that_names_its_source(text: str, gist: str) -> None:
    view = UserView(seq=1, text=text, time=0, origin="context", producer="memory")
    (line,) = drawn(user_block.render(view, 60, INK, folded=True))
    assert line.removesuffix("▸").rstrip() == f"    ◇ Context from memory · {gist}"
    opened = drawn(user_block.render(view, 60, INK, folded=False))[1:]
    assert opened == [f"      │ {row}".rstrip() for row in text.split("\n")]


def test_a_thought_follows_its_end_and_settles_to_its_beginning() -> None:
    view = ThinkingView(seq=1, text="first\nsecond", done=False, duration_ms=0, started=0)
    assert "∴ Thinking · second" in drawn(thinking_block.render(view, 60, INK, folded=True))[0]
    done = replace(view, done=True, duration_ms=6000)
    assert "∴ Thought 6.0 s · first" in drawn(thinking_block.render(done, 60, INK, folded=True))[0]
    assert drawn(thinking_block.render(done, 60, INK, folded=False))[1:] == [
        "      │ first",
        "      │ second",
    ]


def test_a_notice_says_what_to_do_next() -> None:
    view = NoticeView(seq=1, tone="error", text="The key was refused", hint="Check it")
    assert drawn(notice_block.render(view, 60, INK, folded=True)) == [
        "    ✗ The key was refused",
        "      Check it",
    ]


def test_the_end_of_a_turn_is_one_quiet_line() -> None:
    view = TurnEndView(
        seq=1,
        turn=1,
        reason="completed",
        duration_ms=42_000,
        tokens_in=12_300,
        tokens_out=1200,
        cache_percent=94,
        cost=CostView((("USD", 0.0061),)),
    )
    (line,) = drawn(turn_end_block.render(view, 80, INK, folded=True))
    assert line.split("  ")[2] == "✓ done 42 s · 12.3k tokens in · 1.2k out · cache 94 % · ≈$0.0061"
    assert line.endswith("▸")


def test_both_themes_give_their_own_palette() -> None:
    dark, light = palette(0), palette(1)
    assert dark.text != light.text
    assert dark.added.bgcolor != light.added.bgcolor


def test_a_wide_diff_stands_side_by_side_and_copies_as_one() -> None:
    rows = diff_block.render(DIFF, 130, INK)
    lines = drawn(rows)
    assert lines[0].count("def wait(self, n):") == 2
    left, _, right = lines[1].partition(" │ ")
    assert left.rstrip() == " 42 −     start = time.monotonic()"
    assert right == " 42 +     start = self._clock()"
    assert rows[1].content == "-    start = time.monotonic()\n+    start = self._clock()"


def test_a_diff_has_the_colours_of_its_language() -> None:
    (first, *_) = diff_block.render(DIFF, 60, INK)
    styles = {segment.text.strip(): segment.style for segment in first.segments}
    assert styles["def"] == INK.accent


RECEIPT = TurnEndView(
    seq=1,
    turn=2,
    reason="completed",
    duration_ms=42_000,
    tokens_in=12_300,
    tokens_out=1200,
    cache_percent=94,
    cost=CostView((("USD", 0.0061),), ("house/llama",)),
    receipt=ReceiptView(
        files=(FileChange("src/retry.py", 3, 1, False), FileChange("src/new.py", 9, 0, True)),
        commands=(CommandRun("pytest -q\n&& ls", "exit 1", False, 2_400),),
        decisions=(Decision("Run rm -rf x", "denied", "not there"),),
        calls=4,
    ),
)


def test_the_end_of_a_turn_opens_to_its_receipt() -> None:
    _, *lines = drawn(turn_end_block.render(RECEIPT, 70, INK, folded=False))
    assert lines == [
        "      │ Files     src/retry.py                                  +3 −1",
        "      │           src/new.py                                    +9 −0",
        "      │ Commands  pytest -q⏎&& ls                    exit 1     2.4 s",
        "      │ Asked     Run rm -rf x                                 denied",
        "      │ Tokens    12.3k in, 94 % from the cache · 1.2k out",
        "      │ Cost      ≥$0.0061, without house/llama",
        "      │ Time      42 s · 4 tool calls                   y copies this",
    ]


def test_a_receipt_names_the_model_whose_price_nobody_knows_and_is_silent_where_nothing_was_counted() -> None:
    unknown = replace(RECEIPT, cost=CostView(unpriced=("house/llama",)))
    lines = drawn(turn_end_block.render(unknown, 70, INK, folded=False))
    assert "      │ Cost      no price is known for house/llama" in lines
    uncounted = replace(RECEIPT, tokens_in=0, tokens_out=0, cost=CostView())
    assert not any("Cost" in line for line in drawn(turn_end_block.render(uncounted, 70, INK, folded=False)))
    assert "cost" not in source(uncounted)


def test_a_receipt_is_copied_as_text() -> None:
    assert source(RECEIPT) == (
        "Turn 2: completed, 42 s · 4 tool calls; tokens: 12.3k in, 94 % from the cache · 1.2k out; "
        "cost: ≥$0.0061, without house/llama\n"
        "\nFiles changed\n- src/retry.py +3 −1\n- src/new.py +9 −0 (new)\n"
        "\nCommands run\n- pytest -q ⏎ && ls: exit 1, 2.4 s\n"
        "\nAsked\n- Run rm -rf x: denied, “not there”\n"
    )


def test_a_long_receipt_says_how_much_it_leaves_out() -> None:
    files = tuple(FileChange(f"f{n}", 1, 0, False) for n in range(30))
    view = replace(RECEIPT, receipt=ReceiptView(files=files))
    lines = drawn(turn_end_block.render(view, 80, INK, folded=False))
    assert any("and 10 more" in line for line in lines)
    assert source(view).count("- f") == 30


def test_a_cut_call_is_not_called_cancelled() -> None:
    view = replace(TOOL, state="cancelled", cut="may have run", summary="may have run")
    (line,) = drawn(tool_block.render(view, 80, INK, folded=True))
    assert "may have run" in line
    assert "cancelled" not in line


def test_a_half_answer_that_was_given_again_is_one_row_until_opened() -> None:
    view = AnswerView(seq=1, text="# Half\n\nof it", done=True, interrupted=True, answered_again=True)
    folded = draw(view, 80, INK, folded=True, before=None)
    assert [_drawn(row).split() for row in folded.rows] == [["○", "Cut", "answer", "·", "#", "Half", "▸"]]
    opened = draw(view, 80, INK, folded=False, before=folded)
    assert [_drawn(row).strip() for row in opened.rows][-2:] == ["of it", "○ cut off here"]
    assert foldable(view)


def _drawn(row: Row) -> str:
    return "".join(segment.text for segment in row.segments)
