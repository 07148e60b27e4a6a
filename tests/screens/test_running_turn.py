from __future__ import annotations

from textual import events

from dsh_tui.actions import BY_LEADER, key_label
from dsh_tui.app import DshApp
from dsh_tui.engine.projection.views import TodoView
from dsh_tui.screens.timeline import TimelineScreen
from tests.fakes.fake_bridge import FakeBridge
from tests.fakes.fake_chat import Hands, app_over, chat, running, started
from tests.fakes.history_chat import with_history


def key_event(key: str, character: str | None = None) -> events.Key:
    return events.Key(key, character or (key if len(key) == 1 else None))


def notice(app: DshApp) -> str:
    return str(app.chat.status_bar.render())


async def test_enter_queues_while_running_and_the_queue_is_seen() -> None:
    bridge = FakeBridge(chat())
    app = app_over(bridge)
    async with started(app) as pilot:
        await pilot.press(*"more", "enter")
        await pilot.pause()
        assert bridge.asked == [("send", "more")]
        assert app.chat.queue_panel.has_class("-waiting")
        assert list(app.chat.queue_panel.rows) == ["more"]


async def test_ctrl_x_enter_steers() -> None:
    bridge = FakeBridge(chat())
    app = app_over(bridge)
    async with started(app) as pilot:
        await pilot.press(*"left", "ctrl+x", "enter")
        await pilot.pause()
        assert bridge.asked == [("steer", "left")]
        assert app.chat.composer.text == ""


async def test_keys_on_their_way_to_the_draft_come_before_a_leader_form() -> None:
    bridge = FakeBridge(chat())
    app = app_over(bridge)
    async with started(app) as pilot:
        for key in (*"left", "ctrl+x", "enter"):  # as one read of a busy terminal brings them
            app.post_message(key_event(key))
        await pilot.pause()
        assert bridge.asked == [("steer", "left")]
        assert app.chat.composer.text == ""


async def test_what_steers_is_seen_above_the_queue_until_the_turn_reads_it() -> None:
    bridge = FakeBridge(chat(queue=["first"], steering=("left",)))
    app = app_over(bridge)
    async with started(app) as pilot:
        panel = app.chat.queue_panel
        assert [panel.draw(row, 60).plain.split()[0] for row in panel.rows] == ["»", "↳"]
        assert panel.draw(panel.rows[0], 60).plain.endswith("read at the next step")
        await pilot.press("ctrl+x", "q", "enter")
        assert bridge.asked == []  # it is on its way
        await pilot.press("j", "enter")
        await pilot.pause()
        assert bridge.asked == [("unqueue", 0)]
        assert app.chat.composer.text == "first"
        bridge.change(steering=())
        await pilot.pause()
        assert not panel.has_class("-waiting")


async def test_a_plan_that_is_done_gives_its_row_back_once_nothing_runs_and_ctrl_t_shows_it() -> None:
    done = (TodoView("Find the cause", "completed"), TodoView("Mend it", "completed"))
    bridge = FakeBridge(chat(status=running(), todos=done))
    app = app_over(bridge)
    async with started(app) as pilot:
        panel = app.chat.todo_panel
        assert panel.display
        bridge.change(status=running(state="idle"))
        await pilot.pause()
        assert not panel.display
        await pilot.press("ctrl+t")
        assert panel.display
        await pilot.press("ctrl+t")
        assert not panel.display
        bridge.change(todos=(*done, TodoView("Say so", "pending")))
        await pilot.pause()
        assert panel.display


async def test_a_session_that_is_left_while_it_works_is_said_to_go_on() -> None:
    bridge = FakeBridge(chat(status=running(), title="Fix the [b]test"))
    app = app_over(bridge)
    async with started(app) as pilot:
        bridge.change(session_id="another", generation=9, status=running(state="idle"), title="")
        await pilot.pause()
        assert "“Fix the [b]test” goes on in the background" in app.chat.said
        bridge.change(session_id="third", generation=10)
        await pilot.pause()
        assert "Fix the" in app.chat.said  # the second one had nothing to go on with


async def test_without_a_plan_ctrl_t_says_so() -> None:
    app = app_over(FakeBridge())
    async with started(app) as pilot:
        await pilot.press("ctrl+t")
        assert "no plan" in notice(app)


async def test_a_leader_key_is_not_typed_and_esc_gives_it_up() -> None:
    bridge = FakeBridge(chat())
    app = app_over(bridge)
    async with started(app) as pilot:
        await pilot.press("ctrl+x", "z", "ctrl+x", "escape")
        assert app.chat.composer.text == ""
        assert bridge.asked == []


async def test_esc_closes_the_list_first_then_interrupts_and_the_draft_is_kept() -> None:
    bridge = FakeBridge(chat(queue=["waits"]))
    app = app_over(bridge)
    async with started(app) as pilot:
        await pilot.press("/", "n")
        assert app.chat.completion.is_open
        await pilot.press("escape")
        assert not app.chat.completion.is_open
        assert bridge.asked == []
        await pilot.press("escape")
        await pilot.pause()
        assert bridge.asked == [("cancel",)]
        assert app.chat.composer.text == "/n"
        assert app.chat.status_bar.status.state == "stopping"
        assert list(app.chat.queue_panel.rows) == ["waits"]


async def test_esc_twice_on_an_empty_draft_opens_the_timeline_and_slowly_nothing() -> None:
    hands = Hands()
    app = app_over(with_history(), hands=hands)
    async with started(app) as pilot:
        await pilot.press("escape")
        hands.pass_(0.6)
        await pilot.press("escape")
        await pilot.pause()
        assert app.screen is app.chat
        hands.pass_(0.1)
        await pilot.press("escape")
        await pilot.pause()
        assert isinstance(app.screen, TimelineScreen)


async def test_the_leader_says_every_key_that_may_follow() -> None:
    app = app_over(FakeBridge())
    async with started(app, size=(120, 40)) as pilot:
        await pilot.press("ctrl+x")
        said = " ".join(notice(app).split())
        assert all(f"{key_label(key)} " in said for key in BY_LEADER)
        await pilot.press("escape")
        assert "sessions" not in notice(app)


async def test_esc_while_idle_loses_nothing() -> None:
    bridge = FakeBridge(chat(status=running(state="idle")))
    app = app_over(bridge)
    async with started(app) as pilot:
        await pilot.press(*"abc", "escape")
        assert app.chat.composer.text == "abc"
        assert bridge.asked == []


async def test_up_on_an_empty_draft_takes_the_last_queued_prompt_back() -> None:
    bridge = FakeBridge(chat(queue=["first", "second"]))
    app = app_over(bridge)
    async with started(app) as pilot:
        await pilot.press("up")
        await pilot.pause()
        assert bridge.asked == [("unqueue", 1)]
        assert app.chat.composer.text == "second"


async def test_queued_prompts_are_edited_removed_and_resumed_from_the_panel() -> None:
    bridge = FakeBridge(chat(queue=["first", "second"], queue_paused=True))
    app = app_over(bridge)
    async with started(app) as pilot:
        await pilot.press(*"mine", "ctrl+x", "q", "enter")
        await pilot.pause()
        assert app.chat.composer.text == "mine\nfirst"
        assert app.chat.focused is app.chat.composer
        await pilot.press("ctrl+x", "q", "d")
        await pilot.pause()
        assert bridge.view.queue == ()
        bridge.change(queue=("third",), queue_paused=True)
        await pilot.pause()
        await pilot.press("ctrl+x", "r")
        assert bridge.asked[-1] == ("resume_queue",)


async def test_a_prompt_that_was_sent_meanwhile_cannot_be_taken_back() -> None:
    bridge = FakeBridge(chat(queue=["first"]))
    app = app_over(bridge)
    async with started(app) as pilot:
        bridge.post = lambda view: None
        bridge.change(queue=())
        await pilot.press("up")
        await pilot.pause()
        assert app.chat.composer.text == ""


async def test_ctrl_c_interrupts_then_clears_then_quits() -> None:
    hands = Hands()
    bridge = FakeBridge(chat())
    app = app_over(bridge, hands=hands)
    async with started(app) as pilot:
        await pilot.press(*"abc", "ctrl+c")
        await pilot.pause()
        assert bridge.asked == [("cancel",)]
        assert app.chat.composer.text == "abc"
        bridge.status(state="idle")
        await pilot.pause()
        hands.pass_(5)
        await pilot.press("ctrl+c")
        assert app.chat.composer.text == ""
        hands.pass_(5)
        await pilot.press("up")
        assert app.chat.composer.text == "abc"
        app.chat.composer.put("")
        hands.pass_(5)
        await pilot.press("ctrl+c")
        assert not bridge.closed
        hands.pass_(0.5)
        await pilot.press("ctrl+c")
        await pilot.pause()
        assert bridge.closed
    assert app.return_code == 0


async def test_what_is_said_of_a_second_press_goes_when_it_would_not_quit_any_more() -> None:
    app = app_over(FakeBridge())
    async with started(app) as pilot:
        await pilot.press("a", "ctrl+c")
        assert "ctrl+c again quits" in notice(app)
        while "again quits" in notice(app):
            await pilot.pause(0.02)
        assert "↑ brings it back" in notice(app)


async def test_ctrl_z_keeps_the_draft_and_ctrl_underscore_undoes_in_it() -> None:
    app = app_over(FakeBridge())
    async with started(app) as pilot:
        await pilot.press("a", "b", "ctrl+z")
        assert app.chat.composer.text == "ab"
        assert "No shell" in notice(app)
        await pilot.press("ctrl+u")
        assert app.chat.composer.text == ""
        await pilot.press("ctrl+underscore")
        assert app.chat.composer.text == "ab"


async def test_two_presses_of_ctrl_c_far_apart_do_not_quit() -> None:
    hands = Hands()
    bridge = FakeBridge(chat(status=running(state="idle")))
    app = app_over(bridge, hands=hands)
    async with started(app) as pilot:
        await pilot.press("ctrl+c")
        hands.pass_(1.5)
        await pilot.press("ctrl+c")
        assert not bridge.closed


async def test_ctrl_d_quits_only_on_an_empty_draft_and_only_twice() -> None:
    bridge = FakeBridge()
    app = app_over(bridge)
    async with started(app) as pilot:
        await pilot.press("a", "left", "ctrl+d")
        assert app.chat.composer.text == ""
        await pilot.press("ctrl+d")
        assert not bridge.closed
        await pilot.press("ctrl+d")
        await pilot.pause()
        assert bridge.closed


async def test_the_mode_cycles_and_full_needs_the_word() -> None:
    bridge = FakeBridge()
    app = app_over(bridge)
    async with started(app) as pilot:
        for _ in range(4):
            await pilot.press("shift+tab")
            await pilot.pause()
        assert bridge.asked == [("select_mode", mode) for mode in ("edits", "plan", "sandbox", "ask")]
        bridge.asked.clear()
        bridge.refused_modes.add("sandbox")
        for _ in range(3):
            await pilot.press("shift+tab")
            await pilot.pause()
        assert bridge.asked == [("select_mode", mode) for mode in ("edits", "plan", "ask")]
        await pilot.press(*"/full", "enter")
        await pilot.pause()
        await pilot.press(*"no", "enter", "escape")
        assert len(bridge.asked) == 3
        await pilot.press(*"/mode full", "enter")
        await pilot.pause()
        await pilot.press(*"full", "enter")
        await pilot.pause()
        assert bridge.asked[-1] == ("select_mode", "full")


async def test_no_timer_runs_while_idle_and_one_while_running() -> None:
    bridge = FakeBridge(chat(status=running(state="idle")))
    app = app_over(bridge)
    async with started(app) as pilot:
        assert app.chat._ticker is None
        bridge.status(state="running")
        await pilot.pause()
        assert app.chat._ticker is not None
        bridge.status(state="idle")
        await pilot.pause()
        assert app.chat._ticker is None


async def test_a_long_notice_takes_the_rows_it_needs_and_gives_them_back() -> None:
    app = app_over(FakeBridge(chat()))
    async with started(app) as pilot:
        bar = app.chat.status_bar
        app.notice("settings.yaml:1: unknown key `modle`; did you mean `mode` or `model`? " * 2, "error")
        await pilot.pause()
        assert (bar.size.height, bar.region.bottom) == (3, 24)
        assert "or `model`?" in bar.render().plain  # type: ignore[union-attr] # it renders Content
        bar.clear_notice()
        await pilot.pause()
        assert bar.size.height == 1


async def test_a_long_notice_stays_one_line_on_a_small_screen() -> None:
    app = app_over(FakeBridge(chat()))
    async with started(app, (40, 8)) as pilot:
        app.notice("nothing could be written: " * 8, "error")
        await pilot.pause()
        assert app.chat.status_bar.size.height == 1


async def test_tab_on_an_empty_draft_shows_where_the_keys_go_and_what_is_typed_there_is_a_draft() -> None:
    app = app_over(FakeBridge(chat()))
    async with started(app) as pilot:
        await pilot.press("tab")
        await pilot.pause()
        assert app.chat.transcript.cursor is not None
        assert "typing goes here" in str(app.chat.composer.border_subtitle)
        for key in "hi jk":  # as one read of a busy terminal brings them
            app.post_message(key_event("space" if key == " " else key, key))
        await pilot.pause()
        assert app.chat.composer.has_focus
        assert app.chat.composer.text == "hi jk"
        assert "typing goes here" not in str(app.chat.composer.border_subtitle)


async def test_keys_of_the_transcript_stay_there_and_a_paste_does_not() -> None:
    app = app_over(FakeBridge(chat()))
    async with started(app) as pilot:
        await pilot.press("tab", "k", "y", "G")
        await pilot.pause()
        assert app.chat.transcript.has_focus
        assert app.chat.composer.text == ""
        app.post_message(events.Paste("from elsewhere"))
        await pilot.pause()
        assert app.chat.composer.text == "from elsewhere"
