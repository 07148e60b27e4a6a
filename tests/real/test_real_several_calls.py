"""Several calls of one answer: each question stands alone, and an answer is for the one that was shown."""

from __future__ import annotations

from tests.fakes.model_server import reply
from tests.real.stage import Stage
from tests.real.test_real_esc import approve


def calls(*names: str) -> list[tuple[str, object]]:
    return [("bash", {"command": f"touch {name}", "description": f"Make {name}"}) for name in names]


def test_three_questions_are_answered_one_by_one_over_every_detour(stage: Stage) -> None:
    stage.model.push(reply(tool_calls=calls("c1", "c2", "c3")), "Two of three.")

    def made() -> list[str]:
        return sorted(path.name for path in stage.project.iterdir())

    with stage.app(rows=30) as app:
        app.type("make three\r")
        app.wait_for("$ touch c1")
        approve(app)
        app.wait_for("$ touch c2")
        assert made() == ["c1"]
        app.press("ctrl+x", "h")
        app.wait_for("Keys and commands")
        app.wait_gone("$ touch c2")
        app.press("esc")
        app.wait_for("$ touch c2")
        app.press("ctrl+x", "l")
        app.wait_for("type to filter")
        app.wait_gone("$ touch c2")
        app.press("esc")
        app.wait_for("$ touch c2")
        app.resize(40, 12)
        app.resize(10, 3)
        app.resize(80, 30)
        app.wait_for("$ touch c2", "enter answers")
        assert made() == ["c1"]
        app.press("4")
        app.wait_for("$ touch c3")
        approve(app)
        app.wait_for("Two of three.", "ready")
        assert made() == ["c1", "c3"]
    assert stage.decisions() == ["allowed-once", "rejected", "allowed-once"]
    assert [data["isError"] for data in stage.facts("tool/result")] == [False, True, False]
    stage.model.assert_all_accepted()


def test_a_session_that_waits_is_found_again_after_another_one_was_opened(stage: Stage) -> None:
    stage.model.push(reply(tool_calls=calls("c1")))
    with stage.app(rows=30) as app:
        app.type("make one\r")
        app.wait_for("$ touch c1")
        app.press("ctrl+x", "n")
        app.wait_for(
            "in “make one” · main agent", "$ touch c1", "continue an earlier session"
        )  # from behind the new one
        stage.model.push("Elsewhere.")
        app.type("hello\r")
        app.wait_for("Elsewhere.")
        assert not (stage.project / "c1").exists()
        app.press("ctrl+x", "l")
        app.wait_for("type to filter", "2 of 2")
        app.press("down", "enter")
        app.wait_gone("in “make one”")
        app.wait_for("$ touch c1")
        stage.model.push("Made.")
        approve(app)
        app.wait_for("Made.", "ready")
        assert (stage.project / "c1").exists()
    stage.model.assert_all_accepted()
