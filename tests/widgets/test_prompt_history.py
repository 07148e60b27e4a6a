from __future__ import annotations

from dsh_tui.widgets.prompt_history import LIMIT, PromptHistory


def history(*prompts: str) -> PromptHistory:
    made = PromptHistory()
    for prompt in prompts:
        made.add(prompt)
    return made


def test_stepping_back_to_the_newest_gives_the_draft_again() -> None:
    prompts = history("one", "two")
    assert prompts.older("my draft") == "two"
    assert prompts.older("two") == "one"
    assert prompts.older("one") is None
    assert prompts.newer() == "two"
    assert prompts.newer() == "my draft"
    assert prompts.newer() is None


def test_a_prompt_is_kept_once_in_a_row_and_never_empty() -> None:
    assert len(history("one", "one", "  ", "one")) == 1


def test_the_oldest_go_when_there_are_too_many() -> None:
    prompts = history(*(str(number) for number in range(LIMIT + 10)))
    assert len(prompts) == LIMIT
    assert prompts.search("0", 1000)[-1] == "10"


def test_prompts_of_an_opened_session_come_before_those_of_this_run() -> None:
    prompts = history("now")
    prompts.seed(["then", "now"])
    assert [prompts.older(""), prompts.older("")] == ["now", "then"]


def test_prompts_of_earlier_sessions_come_before_all_and_the_place_in_them_stays() -> None:
    prompts = history("two", "three")
    assert [prompts.older("draft"), prompts.older("")] == ["three", "two"]
    assert prompts.recall(["zero", "three", "one", "one", " "])
    assert [prompts.older(""), prompts.older(""), prompts.older("")] == ["one", "zero", None]
    assert [prompts.newer() for _ in range(4)] == ["one", "two", "three", "draft"]
    assert not prompts.recall(["zero", "two"])


def test_earlier_prompts_never_push_out_those_of_this_run() -> None:
    prompts = history(*(f"now {number}" for number in range(LIMIT - 1)))
    assert prompts.recall(["older", "old"])
    assert len(prompts) == LIMIT
    assert prompts.search("old") == ["old"]


def test_the_search_wants_all_words_and_gives_the_newest_first() -> None:
    prompts = history("fix the test", "Fix the build", "write docs", "fix the test")
    assert prompts.search("THE fix") == ["fix the test", "Fix the build"]
