"""Starts the app: paints first, boots the engine behind it, and ends both in order.

Whatever ends the screen (quit, SIGTERM, SIGHUP, a crash), the engine is closed before the
process leaves: agents end, logs are flushed, children are gone. Source: design §2.
"""

from __future__ import annotations

import asyncio
import os
import select
import shlex
import signal
import sys
import time
import traceback
from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from dsh_tui.app import DshApp
from dsh_tui.engine.base import collector
from dsh_tui.engine.base.private_folder import make_missing
from dsh_tui.engine.base.program_log import log_to
from dsh_tui.engine.settings.home import Home
from dsh_tui.first_look import first_look
from dsh_tui.launch import LaunchOptions
from dsh_tui.preferences import apply_preferences, follow_settings

if TYPE_CHECKING:
    from dsh_tui.bridge.bridge import Bridge
    from dsh_tui.engine.persistence.errors import PersistenceError
    from dsh_tui.engine.persistence.seam import Persistence
    from dsh_tui.engine.product import Product

FIRST_KEYS_S = 0.05
"""The keys typed before the first frame are drawn alone: beside the imports each takes twice as long."""
TIDY_S = 10.0
"""How long after the start, when nobody waits for anything, what killed programs left is taken away."""
LAST_WORDS_S = 1.0
END_SIGNALS = (signal.SIGTERM, signal.SIGHUP, signal.SIGINT)


def run_app(options: LaunchOptions) -> int:
    """Run until the user leaves; the exit status."""
    return asyncio.run(_run(options))


async def _run(options: LaunchOptions) -> int:
    home = Home.from_environment(os.environ)
    started: list[tuple[Bridge, Persistence]] = []
    followers: list[asyncio.Task[None]] = []

    async def boot(app: DshApp) -> Bridge:
        await asyncio.sleep(FIRST_KEYS_S)
        if options.resume and (look := await asyncio.to_thread(first_look, home.sessions, options.resume)):
            app.post_view(look)
        product = await _start_product(app, options)
        from dsh_tui.engine.persistence.seam import PERSISTENCE

        persistence = product.engine.root[PERSISTENCE]
        bridge = await _boot(app, product, options)
        started.append((bridge, persistence))
        followers.append(loop.create_task(follow_settings(app, product)))
        followers.append(loop.create_task(_tidy(home)))
        return bridge

    app = DshApp(
        boot, cwd=options.cwd, report_crash=_crash_reporter(home), stray_output=home.logs / "output.log"
    )
    loop = asyncio.get_running_loop()
    for number in END_SIGNALS:
        loop.add_signal_handler(number, app.end, 128 + number)
    try:
        await app.run_async()
    finally:
        for follower in followers:
            follower.cancel()
        for bridge, _ in started:
            if not app.hurried:
                await bridge.close()
    unsaved = False
    for bridge, persistence in started:
        _say_goodbye(bridge)
        unsaved = _tell_unsaved(persistence.unsaved) or unsaved
    return app.return_code or int(unsaved)


async def _tidy(home: Home) -> None:
    await asyncio.sleep(TIDY_S)
    import tempfile

    from dsh_tui.engine.base.atomic_file import remove_old_temps
    from dsh_tui.engine.base.temp_folder import remove_abandoned

    now = time.time()
    await asyncio.to_thread(remove_abandoned, Path(tempfile.gettempdir()), now)
    await asyncio.to_thread(remove_old_temps, home.root, now)


async def _start_product(app: DshApp, options: LaunchOptions) -> Product:
    """Everything that takes time: imports, settings, the engine."""
    await asyncio.to_thread(_import_engine)
    from dsh_tui.engine.product import Product, StartOptions

    product = await Product.start(
        StartOptions(
            cwd=options.cwd,
            environ=os.environ,
            model=options.model,
            effort=options.effort,
            mode=options.mode,
            invariants=options.invariants,
            watch_plugins=True,
            written_titles=True,
            broken_settings_are_fatal=False,
        )
    )
    apply_preferences(app, product)
    return product


async def _boot(app: DshApp, product: Product, options: LaunchOptions) -> Bridge:
    """The bridge, with the session that was asked for."""
    from dsh_tui.bridge.bridge import Bridge
    from dsh_tui.bridge.plugin_news import PluginNews
    from dsh_tui.engine.base.errors import error_chain
    from dsh_tui.engine.persistence.errors import SessionOwnershipLostError
    from dsh_tui.engine.persistence.seam import PERSISTENCE_MENDED, PERSISTENCE_STATE
    from dsh_tui.engine.persistence.stored import told
    from dsh_tui.engine.plugin_folder.folder import PLUGINS_CHANGED
    from dsh_tui.engine.session.store import SESSION_EVENT

    log_to(product.home.logs)
    bridge = Bridge(product, post=app.post_view, notify=app.notice)
    if product.notices:  # at once, since each would take the place of the one before
        app.notice(" · ".join(product.notices), "warning")
    root = product.engine.root
    standing = (*product.plugins.records(), *product.projects.records())
    root.on(PLUGINS_CHANGED, PluginNews(standing, bridge.tell_change))
    root.on(SESSION_EVENT, app.attention.follow, everywhere=True)

    def storage_changed(_id: str, error: PersistenceError | None) -> None:
        if not isinstance(error, SessionOwnershipLostError):  # that one is no trouble of the disk's
            app.storage_changed(error_chain(error) if error else "")

    root.on(PERSISTENCE_STATE, storage_changed)
    root.on(
        PERSISTENCE_MENDED,
        lambda session_id, notices: app.notice(f"The log of {session_id}: {told(notices)}", "warning"),
    )
    try:
        await _open(bridge, options)
        if options.mode is not None:
            bridge.start_in_mode(options.mode)
        if options.resume == "":
            app.call_later(app.chat.action_session_browse)
    except BaseException:  # raised again; what was begun is undone first
        await bridge.close()
        raise
    collector.release()
    return bridge


def _import_engine() -> None:
    """In a thread: half of all that is imported, while the first keys are drawn."""
    import dsh_tui.bridge
    import dsh_tui.engine.permissions.proposal  # no question waits for it, nor can an agent have changed it
    import dsh_tui.engine.settings.schema  # noqa: F401  # all for their effect


async def _open(bridge: Bridge, options: LaunchOptions) -> None:
    if options.replay is not None:
        from dsh_tui.bridge.recording import Playback, load_recording

        loaded = await asyncio.to_thread(load_recording, options.replay)
        await bridge.play(Playback(loaded, speed=options.speed, name=options.replay.name))
    elif options.resume:
        await bridge.open_session(options.resume, named=True)
    elif options.fork is not None:
        await bridge.fork_session(options.fork.session_id, options.fork.seq)
    elif options.continue_last and (last := await bridge.library.last_in(options.cwd)) is not None:
        await bridge.open_session(last, named=True)
    elif options.demo or bridge.access.needs_key:
        from dsh_tui.bridge.recording import bundled

        await bridge.play(await asyncio.to_thread(bundled))
    else:
        await bridge.new_session()


def _crash_reporter(home: Home) -> Callable[[BaseException], str]:
    def report(error: BaseException) -> str:
        """Keep the traceback in a file of its own; returns its path."""
        path = home.logs / f"crash-{datetime.now().astimezone():%Y%m%d-%H%M%S}.txt"
        try:
            make_missing(home.logs)
            with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600), "w") as file:
                file.write("".join(traceback.format_exception(error)))
        except OSError as failed:
            return f"none could be kept ({failed.strerror})"
        return str(path)

    return report


def goodbye(session_id: str, log: str, unsent: Iterable[str]) -> str:
    """How to come back, where the log is, and the prompts that no log has."""
    from dsh_tui.engine.base.visible import visible

    words = f"Resume: dsh-tui --resume {shlex.quote(session_id)}\nLog:    {log}\n" if session_id else ""
    return visible(words + "".join(f"Not sent: {text}\n" for text in unsent))


def _say_goodbye(bridge: Bridge) -> None:
    """On the normal screen again. A frozen terminal is not told."""
    words = goodbye(*bridge.resume_hint(), bridge.unsent())
    if words and select.select([], [sys.stdout], [], LAST_WORDS_S)[1]:
        sys.stdout.write(words)


def _tell_unsaved(unsaved: Mapping[str, PersistenceError]) -> bool:
    """Which sessions lost their end, and whether any did. One whose lease was lost was told of in time."""
    from dsh_tui.engine.persistence.errors import WriteFailedError

    failures = {name: error for name, error in unsaved.items() if isinstance(error, WriteFailedError)}
    told = failures if select.select([], [sys.stderr], [], LAST_WORDS_S)[1] else {}
    for session_id, error in told.items():
        sys.stderr.write(f"dsh-tui: the end of session {session_id} is not saved: {error.reason}\n")
    return bool(failures)
