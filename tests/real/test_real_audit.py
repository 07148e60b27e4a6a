"""A long session through everything that can break a prefix, told from its logs alone, byte for byte."""

from __future__ import annotations

import signal
from pathlib import Path

from dsh_tui.engine.llm.deepseek.wire import request_body
from dsh_tui.engine.persistence.jsonl.reader import read_log
from dsh_tui.engine.projection.request_views import verdict
from dsh_tui.engine.projection.requests import RequestBook
from tests.real.stage import Stage
from tests.real.test_real_requests import READ, raw_requests, sent

HOUSE_RULES = '''
from dsh_tui.engine.agent.events import AGENT_PRE_STEP
from dsh_tui.engine.llm.blocks import text_block
from dsh_tui.engine.llm.messages import plugin_source
from dsh_tui.engine.system_prompt.assembly import SYSTEM_PROMPT
from dsh_tui.engine.system_prompt.section import TOOL_GUIDANCE, Section

name = "house-rules"
inject = (SYSTEM_PROMPT,)


def apply(ctx, config):
    def shorten(agent, upcoming):
        """What stands before the second prompt becomes one line, as a summary would make it."""
        nodes = agent.session.surface
        prompts = [at for at, node in enumerate(nodes) if node.type == "user/message"]
        if upcoming.step > 1 or "sum it up" not in str(nodes[prompts[-1]].data):
            return
        end = prompts[1]
        agent.session.append(
            "context/message",
            {"id": "sum", "content": (text_block("In short: all is well."),), "source": plugin_source(name)},
            surface={"op": "replace", "start": 0, "end": end - 1},
            sources=[node.seq for node in nodes[:end]],
        )

    ctx[SYSTEM_PROMPT].section(ctx, Section("style", TOOL_GUIDANCE + 1, "Style: RULE"))
    ctx.on(AGENT_PRE_STEP, shorten)
'''


def test_the_audit_names_the_reload_and_every_request_is_told_after_kill_resume_fork_and_summary(
    stage: Stage,
) -> None:
    stage.lease(ttl_ms=500, renew_interval_ms=150)
    plugin = stage.home / "plugins" / "house_rules.py"
    plugin.parent.mkdir(exist_ok=True)
    plugin.write_text(HOUSE_RULES.replace("RULE", "short sentences."))
    stage.model.push(READ, "It is fine.")
    with stage.app("--mode", "full", columns=160) as app:
        app.type("look around\r")
        app.wait_for("It is fine.", "ready")
        plugin.write_text(HOUSE_RULES.replace("RULE", "long sentences, 修复."))
        app.wait_for("Plugin house_rules is live, reload 1 · next request: ~", "uncached (was ~")
        stage.model.push("It is still fine, as far as one can see.")
        app.type("and now\r")
        app.wait_for("as far as one can see.", "ready")
        app.signal(signal.SIGKILL)
    log = stage.log()
    session = log.parent.name
    assert audits(log)[2] == (
        'plugin "house-rules" reloaded: section "style" changed',
        "request/header-delta",
    )
    stage.wait_until_free()

    stage.model.push(READ, "Another model, and shorter.")
    resumed = stage.exec("--resume", session, "-m", "deepseek-v4-pro", "--mode", "full", "sum it up")
    assert resumed.returncode == 0, resumed.stderr
    assert raw_requests(stage) == sent(stage)
    assert [event.surface_op["op"] for event in stage.events() if event.surface_op].count("replace") == 1

    mine = sent(stage)
    fork = stage.run("sessions", "fork", session).stdout.split()[0]
    stage.model.push("The fork goes on.")
    assert stage.exec("--resume", fork, "another way").returncode == 0
    command = stage.run("sessions", "requests", fork, "--raw")
    assert command.stdout.encode().split(b"\n")[:-1] == [*mine, sent(stage)[-1]]


def audits(log: Path) -> list[tuple[str, str] | None]:
    """What broke the prefix of each request, and the type of the event behind it."""
    book = RequestBook(read_log(log).events, request_body)
    views = [book.view(row.index) for row in book.rows]
    for view in views:
        if view.broken is not None:
            assert f"byte {view.broken.byte:,} of " in verdict(view)[1]
            assert view.broken.words in verdict(view)[1]
    return [(view.broken.words, view.broken.event) if view.broken else None for view in views]
