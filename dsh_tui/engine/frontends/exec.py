"""``exec``: one task in one turn; the answer on stdout, everything else on stderr.

Exit status: 0 the turn completed · 1 it failed · 2 usage or settings · 3 it ended, but a call was
refused because nobody could approve it · 130 interrupted. Source: design §4; capabilities D.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, TextIO

from dsh_tui.engine.agent.agent import Agent
from dsh_tui.engine.agent.registry import AGENTS, AgentRegistry, CreateAgent, ResumeAgent
from dsh_tui.engine.approval.requests import Unanswered
from dsh_tui.engine.base import collector
from dsh_tui.engine.base.errors import HarnessError, error_chain
from dsh_tui.engine.base.program_log import log_to
from dsh_tui.engine.base.visible import visible
from dsh_tui.engine.base.work_folder import why_unusable
from dsh_tui.engine.frontends.folder_trust import left_out_here
from dsh_tui.engine.frontends.speak import complain
from dsh_tui.engine.frontends.turn_record import TurnRecord
from dsh_tui.engine.frontends.waits import say_waits
from dsh_tui.engine.kernel import Context
from dsh_tui.engine.modes.mode import EXIT_PLAN_MODE
from dsh_tui.engine.modes.modes import MODES
from dsh_tui.engine.permissions.events import RULES_IGNORED
from dsh_tui.engine.persistence.errors import ReadOnlyLogError
from dsh_tui.engine.persistence.seam import LEASES, PERSISTENCE, PERSISTENCE_MENDED, Leases
from dsh_tui.engine.persistence.stored import told
from dsh_tui.engine.product import ModelNameError, Product, StartOptions
from dsh_tui.engine.session.event import Event
from dsh_tui.engine.session.session import Session
from dsh_tui.engine.session.store import SESSION_EVENT
from dsh_tui.engine.session_move import move_stored
from dsh_tui.engine.settings.home import Home, HomeError
from dsh_tui.engine.settings.loader import SettingsError
from dsh_tui.engine.tools.decisions import BY_MODE
from dsh_tui.launch import ExecOptions

OK, FAILED, USAGE, REFUSED, INTERRUPTED = 0, 1, 2, 3, 130


def run_exec(options: ExecOptions) -> int:
    """Run the task to its end and return the exit status."""
    try:
        log_to(Home.from_environment(os.environ).logs)
        with _answer_apart() as answer:
            return asyncio.run(_run(options, answer))
    except (SettingsError, ModelNameError) as error:
        return complain(error.message, USAGE)
    except HomeError as error:
        return complain(error.message, FAILED)
    except HarnessError as error:
        return complain(error_chain(error), FAILED)


@contextlib.contextmanager
def _answer_apart() -> Iterator[TextIO]:
    """The true stdout for the answer; what plugins and their children print goes to stderr meanwhile."""
    stdout = sys.stdout
    stdout.flush()
    answer = os.fdopen(os.dup(1), "w", encoding=stdout.encoding, errors="backslashreplace")
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    try:
        yield answer
    finally:
        sys.stdout = stdout
        stdout.flush()
        os.dup2(answer.fileno(), 1)
        with contextlib.suppress(OSError):  # whoever wrote has been told
            answer.close()


async def _run(options: ExecOptions, answer: TextIO) -> int:
    product = await Product.start(
        StartOptions(
            cwd=options.cwd,
            environ=os.environ,
            model=options.model,
            effort=options.effort,
            mode=options.mode,
            invariants=options.invariants,
        )
    )
    collector.release()
    try:
        for notice in product.notices:
            complain(notice, OK)
        if product.needs_key():
            return complain("no API key: set DEEPSEEK_API_KEY, or start `dsh-tui` once and enter one", FAILED)
        return await _one_turn(product, options, answer)
    finally:
        await product.dispose()


async def _one_turn(product: Product, options: ExecOptions, answer: TextIO) -> int:
    root = product.engine.root
    printer = _StreamPrinter(answer) if options.output == "stream-json" else None
    root.on(RULES_IGNORED, lambda why: complain(why, OK) and None, everywhere=True)
    root.on(PERSISTENCE_MENDED, lambda _id, notices: complain(told(notices), OK) and None)
    agent = await _agent(root, product, options)
    if options.mode is not None:  # a resumed log may name another one
        root[MODES].start_in(agent.session, options.mode)
    _say_untrusted(product, agent)
    record = TurnRecord()
    first = len(agent.session.events)
    if printer is not None:
        printer.header(agent.session.header)

    def note(session: Session, event: Event) -> None:
        if session is agent.session and event.seq >= first:
            record.add(event)
            if printer is not None:
                printer.row(event)
                if printer.error is not None:
                    agent.cancel("nobody takes the output", {"kind": "user"})

    root.on(SESSION_EVENT, note, everywhere=True)
    say_waits(root)
    interrupts = _Interrupts(agent, root.get(LEASES))
    with interrupts:
        agent.send(options.prompt)
        await agent.when_idle()
    stored = await _store(product, agent.session)
    try:
        _print_answer(options.output, answer, agent.session.id, record)
        if printer is not None and printer.error is not None:
            raise printer.error
    except BrokenPipeError:
        raise  # the reader had enough; the command line ends quietly
    except OSError as error:
        return complain(f"the output can't be written: {error.strerror}", FAILED)
    refused = product.approval.unanswered(agent.session.id)
    for call in refused:
        said = f"{call.tool_name} {_one_line(call.arguments)}"
        complain(f"refused, since nobody could approve it: {said} ({_cure(call)})", OK)
    if interrupts.seen:
        return INTERRUPTED
    return _status(record, stored=stored, refused=bool(refused))


def _status(record: TurnRecord, *, stored: bool, refused: bool) -> int:
    if record.reason != "completed":
        return complain(f"the turn did not complete: {record.explain()}", FAILED)
    if not stored:
        return FAILED
    return REFUSED if refused else OK


def _say_untrusted(product: Product, agent: Agent) -> None:
    """What the session's project would load, if it were trusted."""
    left_out = left_out_here(product.trust, Path(agent.session.cwd)) if agent.session.cwd else ""
    if left_out:
        complain(left_out, OK)


async def _agent(root: Context, product: Product, options: ExecOptions) -> Agent:
    agents = root[AGENTS]
    if options.resume is None:
        meta = {"cwd": str(options.cwd)}
        return agents.create(CreateAgent(options=product.agent_options, meta=meta)).agent
    if options.cwd_given:  # before an agent begins: it looks around in its directory
        with contextlib.suppress(ReadOnlyLogError):
            await move_stored(product.sessions, root[PERSISTENCE], options.resume, str(options.cwd))
    agent = await _resumed(agents, options.resume, product) or await _copy(root, product, options)
    if not options.cwd_given:
        _require_directory(agent.session.cwd)
    return agent


async def _resumed(agents: AgentRegistry, session_id: str, product: Product) -> Agent | None:
    """The session itself; None if it is another program's."""
    try:
        return (await agents.resume(ResumeAgent(session_id=session_id, options=product.agent_options))).agent
    except ReadOnlyLogError:
        return None


async def _copy(root: Context, product: Product, options: ExecOptions) -> Agent:
    """A session of ours that goes on from another program's."""
    session_id = options.resume or ""
    loaded = await asyncio.to_thread(root[PERSISTENCE].inspect, session_id)
    if not options.cwd_given:
        _require_directory(loaded.header.get("cwd"))
    if loaded.status == "damaged":
        complain(f"{loaded.path}: {loaded.notices[0].text}", OK)
    meta, seed = product.fork(loaded, None)
    if options.cwd_given:
        meta["cwd"] = str(options.cwd)
    agent = root[AGENTS].create(CreateAgent(options=product.agent_options, meta=meta, seed=seed)).agent
    complain(f"{session_id} is a session of DeepSeek Harness; it goes on as {agent.id}", OK)
    return agent


def _require_directory(cwd: str | None) -> None:
    trouble = why_unusable(cwd)
    if trouble:
        raise HarnessError(
            f"the directory of this session can't be used: {trouble}; give another with -C DIR"
        )


async def _store(product: Product, session: Session) -> bool:
    try:
        await product.sessions.flush(session)
    except Exception as error:  # noqa: BLE001  # full disk and the like: the answer is still printed
        complain(f"session {session.id} is not stored: {error_chain(error)}", FAILED)
        return False
    return True


def _print_answer(output: str, answer: TextIO, session_id: str, record: TurnRecord) -> None:
    if output == "text":
        if record.text:
            text = visible(record.text) if answer.isatty() else record.text
            print(text, file=answer, flush=True)  # the answer itself
    elif output == "json":
        from dsh_tui.engine.base.lossless import dumps

        line = {
            "sessionId": session_id,
            "text": record.text,
            "turn": record.turn,
            "reason": record.reason,
            "usage": record.usage(),
        }
        print(dumps(line), file=answer, flush=True)  # the answer itself


class _StreamPrinter:
    """Prints a log as it is committed: the header, then one row an event, until that fails."""

    def __init__(self, answer: TextIO) -> None:
        self._answer = answer
        self.error: OSError | None = None
        """Why no more is printed."""

    def header(self, header: Mapping[str, Any]) -> None:  # Any: JSON of the header
        self._line(header)

    def row(self, event: Event) -> None:
        self._line(event.to_json())

    def _line(self, value: Mapping[str, Any]) -> None:  # Any: one JSON row
        from dsh_tui.engine.base.lossless import dumps

        if self.error is None:
            try:
                self._answer.write(dumps(value) + "\n")
                self._answer.flush()
            except OSError as error:
                self.error = error


class _Interrupts:
    """SIGINT, SIGTERM and SIGHUP cancel the turn once; a second one ends the process at once."""

    _SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)

    def __init__(self, agent: Agent, leases: Leases | None) -> None:
        self._agent, self._leases = agent, leases
        self.seen = False

    def __enter__(self) -> None:
        loop = asyncio.get_running_loop()
        for number in self._SIGNALS:
            loop.add_signal_handler(number, self._stop)

    def __exit__(self, *_exception: object) -> None:
        loop = asyncio.get_running_loop()
        for number in self._SIGNALS:
            loop.remove_signal_handler(number)

    def _stop(self) -> None:
        if self.seen:
            if self._leases is not None:
                self._leases.close_now()
            os._exit(INTERRUPTED)
        self.seen = True
        self._agent.cancel("interrupted", {"kind": "user"})


def _cure(call: Unanswered) -> str:
    """What would have let it run."""
    if call.asked_by == EXIT_PLAN_MODE:
        return "a plan is approved by a person: run the task in the app, or in another mode"
    if call.asked_by != BY_MODE:  # it asks in every mode
        return f"{call.asked_by} asks a person each time; run the task in the app"
    if not call.rules:
        return "no rule covers it; allow it with --mode, or run the task in the app"
    rules = ", ".join(rule.body for rule in call.rules)
    return f"allow it with --mode, or for good with {rules} under permissions: allow: in settings.yaml"


def _one_line(text: str, limit: int = 160) -> str:
    line = " ".join(text.split())
    return line if len(line) <= limit else f"{line[: limit - 1]}…"
