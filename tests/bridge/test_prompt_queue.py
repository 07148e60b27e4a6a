from __future__ import annotations

from dsh_tui.bridge.prompt_queue import PromptQueue


def queue_of(*texts: str) -> PromptQueue:
    queue = PromptQueue()
    for text in texts:
        queue.put(text)
    return queue


def test_prompts_leave_in_the_order_in_which_they_came() -> None:
    queue = queue_of("one", "two")
    assert [queue.take(), queue.take(), queue.take()] == ["one", "two", None]


def test_what_is_held_stays_and_what_comes_after_it_goes_first() -> None:
    queue = queue_of("one", "two")
    queue.pause()
    assert (queue.take(), queue.paused, queue.moves) == (None, True, False)
    queue.put("now")
    assert (queue.moves, queue.take(), queue.waiting) == (True, "now", ("one", "two"))
    queue.resume()
    assert [queue.take(), queue.take()] == ["one", "two"]


def test_what_comes_back_while_something_is_held_is_held_too() -> None:
    queue = queue_of("two")
    queue.pause()
    queue.put_back(["one"])
    assert (queue.take(), queue.waiting) == (None, ("one", "two"))


def test_a_queue_from_which_all_that_was_held_is_removed_is_not_paused() -> None:
    queue = queue_of("one", "two")
    queue.pause()
    queue.put("three")
    assert [queue.remove(1), queue.remove(0)] == ["two", "one"]
    assert (queue.paused, queue.take()) == (False, "three")


def test_nothing_to_hold_is_not_paused() -> None:
    queue = PromptQueue()
    queue.pause()
    assert not queue.paused
