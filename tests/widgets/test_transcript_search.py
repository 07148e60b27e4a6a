"""Finding words: places in order, folded blocks opened, rows marked, and nothing lost on the way."""

from __future__ import annotations

import pytest

from dsh_tui.engine.projection.views import BlockView
from dsh_tui.widgets.transcript_search import Found
from tests.fakes.transcript_app import TranscriptApp, answer, paragraphs, tool, user

LONG = paragraphs(40) + "Here is the Needle.\n\n" + paragraphs(40, 40) + "And a needle again.\n"


def blocks_with(*texts: str) -> list[BlockView]:
    return [user("go"), *(answer(text) for text in texts)]


async def test_the_newest_place_is_first_and_each_step_goes_on_row_by_row() -> None:
    app = TranscriptApp(blocks_with(LONG, "nothing", "one needle"))
    async with app.run_test(size=(60, 12)):
        find = app.transcript.find
        assert find("needle") == Found(3, 0, 2, 2)
        assert "one needle" in "\n".join(app.lines())
        lower, upper = find("needle"), find("needle")
        assert lower is not None
        assert upper is not None
        assert (lower[0], upper[0], lower[2:]) == (1, 1, (1, 2))
        assert lower.row > upper.row
        assert "Here is the Needle." in "\n".join(app.lines())
        assert find("needle") == Found(3, 0, 2, 2)  # past the oldest it begins again
        assert find("needle", older=False) == upper
        assert find("needle", older=False) == lower


async def test_what_a_folded_block_holds_is_found_and_opens_it() -> None:
    output = "\n".join([*map(str, range(30)), "the needle", *map(str, range(30))])
    app = TranscriptApp([user("go"), tool(output=output), answer(paragraphs(30))])
    async with app.run_test(size=(60, 12)) as pilot:
        assert "the needle" not in "\n".join(app.lines())
        found = app.transcript.find("NEEDLE")
        await pilot.pause()
        assert found is not None
        assert (found.block, app.transcript.cursor) == (1, 1)
        assert "the needle" in "\n".join(app.lines())


async def test_a_block_that_was_opened_on_the_way_folds_again() -> None:
    app = TranscriptApp([answer("needle"), tool(output="needle in here"), answer("the end")])
    async with app.run_test(size=(60, 12)) as pilot:
        app.transcript.find("needle")
        await pilot.pause()
        assert "in here" in "\n".join(app.lines())
        app.transcript.find("needle that is nowhere")
        app.transcript.find("needle")
        app.transcript.find("needle")
        await pilot.pause()
        assert "in here" not in "\n".join(app.lines())
        assert app.transcript.cursor == 0


async def test_another_session_has_no_block_that_was_opened_in_the_one_before() -> None:
    app = TranscriptApp([answer("no"), answer("no"), tool(output="needle in here")])
    async with app.run_test(size=(60, 12)):
        app.transcript.find("needle")
        app.transcript.show([tool(output="no"), answer("needle")], 0, generation=2)
        assert app.transcript.find("needle") == Found(1, 0, 1, 1)
        app.transcript.show([answer("needle")], 0, generation=3)
        assert app.transcript.find("needle") == Found(0, 0, 1, 1)


@pytest.mark.parametrize("words", ["", "not there", "(", "[/]"])
async def test_what_is_nowhere_moves_nothing(words: str) -> None:
    app = TranscriptApp(blocks_with(paragraphs(30)))
    async with app.run_test(size=(60, 12)):
        before = app.lines()
        assert app.transcript.find(words) is None
        assert app.lines() == before
        assert app.transcript.following


async def test_places_are_marked_until_nothing_is_looked_for() -> None:
    app = TranscriptApp(blocks_with("a needle", "no", "the needle"))
    async with app.run_test(size=(60, 12)):
        app.transcript.find("needle")
        marked = [line.look.span for line in app.transcript._frame if line.look.span is not None]
        assert marked == [(6, 12), (8, 14)]
        assert [line.block for line in app.transcript._frame if line.look.here] == [3]
        app.transcript.find("")
        assert all(line.look.span is None for line in app.transcript._frame)
