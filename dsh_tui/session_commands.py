"""``dsh-tui sessions …`` as it is typed: verbs, their options, and who does them.

Source: design §4.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dsh_tui.launch import ForkPoint

if TYPE_CHECKING:
    from dsh_tui.engine.session_export import ExportFormat


def run_sessions(parser: argparse.ArgumentParser, arguments: list[str]) -> int:
    """Parse and do; the exit status."""
    verbs = parser.add_subparsers(dest="verb", required=True, metavar="VERB")
    for add in (_reading, _requesting, _exporting, _changing, _checking):
        add(verbs)
    options = parser.parse_args(arguments)
    if options.verb in ("list", "show"):
        return _look(options)
    if options.verb == "export":
        return _export(options)
    if options.verb in ("verify", "reindex"):
        return _check(options)
    if options.verb == "requests":
        return _requests(options)
    return _change(parser, options)


def _verb(verbs: Any, name: str, about: str) -> argparse.ArgumentParser:  # Any: argparse hides this type
    verb: argparse.ArgumentParser = verbs.add_parser(name, help=about, description=about)
    verb.add_argument("--json", action="store_true", help="for programs")
    return verb


def _reading(verbs: Any) -> None:  # Any: as above
    _verb(verbs, "list", "all sessions, newest first")
    _verb(verbs, "show", "one session's transcript; with --json its log, unpacked").add_argument("id")


def _requesting(verbs: Any) -> None:  # Any: as above
    requests = _verb(verbs, "requests", "what went to the model, rebuilt from the log byte for byte")
    requests.add_argument("id", metavar="ID")
    requests.add_argument("--turn", type=int, metavar="T", help="of this turn only")
    requests.add_argument("--step", type=int, metavar="S", help="of steps with this number only")
    requests.add_argument(
        "--raw", action="store_true", help="the bytes as they were sent, one request a line"
    )
    requests.add_argument(
        "--all", action="store_true", help="those beside the conversation (titles, summaries) too"
    )


def _exporting(verbs: Any) -> None:  # Any: as above
    export = _verb(verbs, "export", "sessions as Markdown, JSON lines or ZIP")
    export.add_argument("ids", nargs="+", metavar="ID", help="several go into one ZIP")
    export.add_argument(
        "--format",
        choices=("markdown", "jsonl", "zip"),
        help="default: as FILE ends; without an ending Markdown, and a ZIP for several",
    )
    export.add_argument(
        "-o", "--output", type=Path, metavar="FILE", help="ends in .md, .jsonl or .zip (default: stdout)"
    )


def _changing(verbs: Any) -> None:  # Any: as above
    fork = _verb(verbs, "fork", "a copy that goes its own way; prints its id")
    fork.add_argument("id", metavar="ID[@SEQ]", help="up to the last turn that has ended by SEQ")
    rename = _verb(verbs, "rename", "give a session a title of your own")
    rename.add_argument("id", metavar="ID")
    rename.add_argument("title", metavar="TITLE")
    delete = _verb(verbs, "delete", "move sessions to the trash")
    delete.add_argument("ids", nargs="*", metavar="ID")
    delete.add_argument(
        "--undo", action="store_true", help="bring them back; without an ID, the one deleted last"
    )
    repair = _verb(verbs, "repair", "a copy with all that can be saved of a damaged session; prints its id")
    repair.add_argument("id", metavar="ID")


def _checking(verbs: Any) -> None:  # Any: as above
    verify = _verb(verbs, "verify", "check logs against every rule; exit status 1 names the first bad seq")
    verify.add_argument("ids", nargs="*", metavar="ID", help="default: all of yours")
    _verb(verbs, "reindex", "make the search index anew from the logs")


def _look(options: argparse.Namespace) -> int:
    from dsh_tui.engine.frontends import sessions

    if options.verb == "list":
        return sessions.list_sessions(as_json=options.json)
    return sessions.show_session(options.id, as_json=options.json)


def _requests(options: argparse.Namespace) -> int:
    from dsh_tui.engine.frontends.session_requests import RequestsQuery, show_requests

    return show_requests(
        RequestsQuery(
            session_id=options.id,
            turn=options.turn,
            step=options.step,
            as_json=options.json,
            raw=options.raw,
            one_shots=options.all,
        )
    )


def _export(options: argparse.Namespace) -> int:
    from dsh_tui.engine.frontends.session_exports import export_sessions

    form: ExportFormat | None = "jsonl" if options.json else options.format
    return export_sessions(options.ids, form=form, target=options.output)


def _check(options: argparse.Namespace) -> int:
    from dsh_tui.engine.frontends import session_checks

    if options.verb == "verify":
        return session_checks.verify_sessions(options.ids, as_json=options.json)
    return session_checks.reindex(as_json=options.json)


def _change(parser: argparse.ArgumentParser, options: argparse.Namespace) -> int:
    from dsh_tui.engine.frontends import session_changes

    if options.verb == "fork":
        point = ForkPoint.parse(options.id)
        return session_changes.fork_session(point.session_id, point.seq, as_json=options.json)
    if options.verb == "rename":
        return session_changes.rename_session(options.id, options.title, as_json=options.json)
    if options.verb == "repair":
        return session_changes.repair_session(options.id, as_json=options.json)
    if options.undo:
        return session_changes.restore_sessions(options.ids, as_json=options.json)
    if not options.ids:
        parser.error("delete what? give an ID, or --undo")
    return session_changes.delete_sessions(options.ids, as_json=options.json)
