from __future__ import annotations

import time

import pytest
from textual import events

from dsh_tui.actions import BY_SLASH
from dsh_tui.app import DshApp
from dsh_tui.engine.projection.views import UserView
from dsh_tui.screens.sessions import SessionsScreen
from dsh_tui.widgets.composer import BURST_GAP, Composer
from tests.fakes.fake_bridge import FakeBridge
from tests.fakes.fake_chat import NOON, app_over, chat, running, sample_sessions, started


def composer_of(app: DshApp) -> Composer:
    return app.chat.composer


def keys(text: str, gap: float) -> list[events.Key]:
    """Key events as a terminal sends them, ``gap`` seconds apart."""
    made = []
    for number, character in enumerate(text):
        key = events.Key("enter", "\r") if character == "\r" else events.Key(character, character)
        key.time = 100.0 + number * gap
        made.append(key)
    return made


async def test_enter_sends_and_newline_keys_do_not() -> None:
    bridge = FakeBridge()
    app = app_over(bridge)
    async with started(app) as pilot:
        await pilot.press(*"one", "ctrl+j", *"two", "shift+enter", *"three", "alt+enter", *"four")
        assert composer_of(app).text == "one\ntwo\nthree\nfour"
        await pilot.press("enter")
        assert bridge.asked == [("send", "one\ntwo\nthree\nfour")]
        assert composer_of(app).text == ""


async def test_a_backslash_before_enter_is_a_new_line() -> None:
    bridge = FakeBridge()
    app = app_over(bridge)
    async with started(app) as pilot:
        await pilot.press("a", "\\", "enter", "b")
        assert composer_of(app).text == "a\nb"
        assert bridge.asked == []


async def test_an_empty_draft_sends_nothing() -> None:
    bridge = FakeBridge()
    app = app_over(bridge)
    async with started(app) as pilot:
        await pilot.press("space", "space", "enter")
        assert bridge.asked == []


@pytest.mark.parametrize(
    ("pasted", "draft"),
    [
        ("one\ntwo\nthree", "one\ntwo\nthree"),
        ("one\rtwo\rthree", "one\ntwo\nthree"),
        ("a\tb\r\nc", "a\tb\nc"),
        ("a\x1b[31mb", "ab"),
        ("中文 👩‍👩‍👧", "中文 👩‍👩‍👧"),
        ("one\n", "one\n"),
        ("line\n" * 20, "[paste #1 · 20 lines]"),
    ],
)
async def test_a_bracketed_paste_never_sends(pasted: str, draft: str) -> None:
    bridge = FakeBridge()
    app = app_over(bridge)
    async with started(app) as pilot:
        app.post_message(events.Paste(pasted))
        await pilot.pause()
        assert composer_of(app).text == draft
        assert bridge.asked == []


@pytest.mark.parametrize("pasted", ["x" * 50 + "\n", "x" * 1_000_000], ids=["lines", "line"])
async def test_a_megabyte_becomes_a_chip_at_once_and_is_sent_complete(pasted: str) -> None:
    pasted = pasted * (20_000 if pasted.endswith("\n") else 1)
    bridge = FakeBridge()
    app = app_over(bridge)
    async with started(app) as pilot:
        began = time.perf_counter()
        app.post_message(events.Paste(pasted))
        await pilot.pause()
        assert time.perf_counter() - began < 1
        assert composer_of(app).text.startswith("[paste #1 · ")
        await pilot.press("enter")
        assert bridge.asked == [("send", pasted.strip())]


async def test_backspace_takes_a_chip_as_a_whole_and_expanding_shows_its_text() -> None:
    app = app_over(FakeBridge())
    async with started(app) as pilot:
        app.post_message(events.Paste("line\n" * 20))
        await pilot.pause()
        await pilot.press("backspace")
        assert composer_of(app).text == ""
        app.post_message(events.Paste("line\n" * 20))
        await pilot.pause()
        app.chat.action_prompt_expand()
        assert composer_of(app).text == "line\n" * 20


async def test_keys_in_a_burst_are_a_paste_and_typed_ones_are_not() -> None:
    bridge = FakeBridge()
    app = app_over(bridge)
    async with started(app) as pilot:
        composer = composer_of(app)
        composer.guards_bursts = True
        for key in keys("one\rtwo\rthree", BURST_GAP / 10):
            composer.take_key(key)
        await pilot.pause(0.1)
        assert composer.text == "one\ntwo\nthree"
        assert bridge.asked == []
        composer.put("")
        for key in keys("hello\r", 0.08):
            composer.take_key(key)
        await pilot.pause()
        assert bridge.asked == [("send", "hello")]


async def test_a_held_enter_sends_when_nothing_follows() -> None:
    bridge = FakeBridge()
    app = app_over(bridge)
    async with started(app) as pilot:
        composer = composer_of(app)
        composer.guards_bursts = True
        for key in keys("hello\r", 0.001):
            composer.take_key(key)
        assert bridge.asked == []
        await pilot.pause(0.1)
        assert bridge.asked == [("send", "hello")]


async def test_up_steps_into_earlier_prompts_of_the_session_and_down_comes_back() -> None:
    view = chat([UserView(seq=1, text="earlier", time=NOON)], status=running(state="idle"))
    bridge = FakeBridge(view)
    app = app_over(bridge)
    async with started(app) as pilot:
        await pilot.press(*"now", "enter", *"draft")
        await pilot.press("up")
        assert composer_of(app).text == "now"
        await pilot.press("up")
        assert composer_of(app).text == "earlier"
        await pilot.press("down", "down")
        assert composer_of(app).text == "draft"


def with_earlier_sessions() -> FakeBridge:
    bridge = FakeBridge(chat())
    row = sample_sessions()[0]._replace(cwd=bridge.view.cwd, origin=None)
    rows = [row._replace(id=f"before-{number}") for number in range(3)]
    bridge.library.rows = [*rows, rows[0]._replace(id="elsewhere", cwd="/elsewhere")]
    for at, row in enumerate(bridge.library.rows):
        bridge.library.previews[row.id] = [UserView(seq=1, text=f"prompt of {at}", time=NOON)]
    return bridge


async def test_up_goes_on_into_the_sessions_before_in_this_directory() -> None:
    app = app_over(with_earlier_sessions())
    async with started(app) as pilot:
        composer = composer_of(app)
        seen: list[str] = []
        while not seen or seen[-1] != composer.text:
            seen.append(composer.text)
            await pilot.press("up")
            await pilot.pause()
            await pilot.pause()
        assert seen[-3:] == ["prompt of 0", "prompt of 1", "prompt of 2"]
        await pilot.press(*["down"] * len(seen))
        assert composer.text == ""


async def test_the_search_finds_prompts_of_the_sessions_before() -> None:
    app = app_over(with_earlier_sessions())
    async with started(app) as pilot:
        await pilot.press("ctrl+r", *"prompt of")
        await pilot.pause()
        await pilot.pause()
        found = [offer.text for offer in app.chat.completion.rows]
        assert found == ["prompt of 0", "prompt of 1", "prompt of 2"]
        assert "elsewhere" not in found


async def test_a_list_of_sessions_that_can_not_be_read_takes_nothing_from_the_draft() -> None:
    bridge = FakeBridge()
    bridge.fails["watch"] = OSError("no index")
    app = app_over(bridge)
    async with started(app) as pilot:
        await pilot.press(*"draft", "up")
        await pilot.pause()
        assert composer_of(app).text == "draft"
        assert "no index" in app.chat.said


async def test_a_draft_that_is_in_no_earlier_prompt_is_no_search_and_comes_back() -> None:
    app = app_over(FakeBridge(chat()))
    async with started(app) as pilot:
        await pilot.press(*"half a thought", "ctrl+r")
        await pilot.pause()
        assert composer_of(app).text == ""
        assert app.chat.completion.rows[0].text
        await pilot.press("escape")
        assert composer_of(app).text == "half a thought"


async def test_ctrl_r_searches_esc_restores_and_enter_takes_without_sending() -> None:
    bridge = FakeBridge()
    app = app_over(bridge)
    async with started(app) as pilot:
        await pilot.press(*"fix the test", "enter", *"write docs", "enter")
        sent = list(bridge.asked)
        await pilot.press("ctrl+r", *"test")
        assert app.chat.completion.is_open
        await pilot.press("escape")
        assert composer_of(app).text == ""
        assert not app.chat.completion.is_open
        await pilot.press("ctrl+r", *"fix", "enter")
        assert composer_of(app).text == "fix the test"
        assert bridge.asked == sent


async def test_a_slash_completes_and_runs_commands_and_unknown_ones_keep_the_draft() -> None:
    bridge = FakeBridge()
    app = app_over(bridge)
    async with started(app) as pilot:
        await pilot.press("/", *"new", "enter")
        await pilot.pause()
        assert bridge.asked == [("new_session",)]
        assert composer_of(app).text == ""
        await pilot.press("/", *"ren", "tab")
        assert composer_of(app).text == "/rename "
        await pilot.press(*"A title", "enter")
        assert bridge.asked[-1] == ("rename", "A title")
        await pilot.press("/", *"nonsense", "enter")
        assert composer_of(app).text == "/nonsense"
        assert len(bridge.asked) == 2


@pytest.mark.parametrize(
    ("typed", "asked"), [("/clear", ("new_session",)), ("/resume", None), ("/new", ("new_session",))]
)
async def test_a_name_from_another_program_runs_what_it_means_here(
    typed: str, asked: tuple[str] | None
) -> None:
    bridge = FakeBridge()
    app = app_over(bridge)
    async with started(app) as pilot:
        await pilot.press(*typed)
        assert composer_of(app).text == typed
        await pilot.press("enter")
        await app.workers.wait_for_complete()
        await pilot.pause()
        assert bridge.asked[-1:] == ([asked] if asked else [])
        assert isinstance(app.screen, SessionsScreen) == (asked is None)


async def test_completion_offers_the_name_that_is_used_here_once() -> None:
    app = app_over(FakeBridge())
    async with started(app) as pilot:
        await pilot.press(*"/exi")
        assert [offer.text for offer in app.chat.completion.rows][:1] == ["quit"]
        await pilot.press("ctrl+u", *"/")
        names = [offer.text for offer in app.chat.completion.rows]
        assert len(names) == len(set(names))
        assert set(names) <= set(BY_SLASH)


async def test_a_path_at_the_start_is_a_prompt_not_a_command() -> None:
    bridge = FakeBridge()
    app = app_over(bridge)
    async with started(app) as pilot:
        await pilot.press(*"/etc/hosts: what is it", "enter")
        assert bridge.asked == [("send", "/etc/hosts: what is it")]


async def test_an_at_sign_completes_files(tmp_path: object) -> None:
    from pathlib import Path

    root = Path(str(tmp_path))
    (root / "src").mkdir()
    (root / "src/retry.py").touch()
    app = app_over(FakeBridge(), cwd=str(root))
    async with started(app) as pilot:
        await pilot.press(*"see @ret")
        await app.workers.wait_for_complete()
        await pilot.pause()
        await pilot.press("tab")
        assert composer_of(app).text == "see @src/retry.py "


async def test_at_another_width_all_of_the_draft_is_painted() -> None:
    draft = " ".join(f"word{number}" for number in range(18)) + " end"
    app = app_over(FakeBridge())
    async with started(app, size=(120, 40)) as pilot:
        composer_of(app).put(draft)
        for width in (80, 120, 79):  # two rows at each of them
            await pilot.resize_terminal(width, 24)
            await pilot.pause()
            rows = app.screen._compositor.render_strips()
            inside = composer_of(app).content_region
            painted = [rows[y].text[inside.x : inside.right] for y in range(inside.y, inside.bottom)]
            assert " ".join(" ".join(painted).split()) == draft


async def test_it_grows_to_a_third_of_the_screen() -> None:
    app = app_over(FakeBridge())
    async with started(app, (80, 30)) as pilot:
        composer_of(app).put("line\n" * 40)
        await pilot.pause()
        assert composer_of(app).outer_size.height in (9, 10)


async def test_a_question_mark_on_an_empty_draft_opens_help_and_elsewhere_is_text() -> None:
    app = app_over(FakeBridge())
    async with started(app) as pilot:
        await pilot.press("a", "?")
        assert composer_of(app).text == "a?"
        composer_of(app).put("")
        await pilot.press("?")
        await pilot.pause()
        assert type(app.screen).__name__ == "HelpScreen"
        await pilot.press("escape")
        assert app.screen is app.chat
