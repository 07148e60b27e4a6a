"""``dsh-tui permissions …`` as it is typed: verbs, their options, and who does them.

Source: design §4.
"""

from __future__ import annotations

import argparse
import sys


def run_permissions(parser: argparse.ArgumentParser, arguments: list[str]) -> int:
    """Parse and do; the exit status."""
    verbs = parser.add_subparsers(dest="verb", required=True, metavar="VERB")
    listing = verbs.add_parser(
        "list", help="the rules in force here", description="The rules in force in this folder."
    )
    listing.add_argument("--json", action="store_true", help="for programs")
    testing = verbs.add_parser(
        "test",
        help="try rules on past calls, or on calls from stdin",
        description="Try rules on all past calls; or, with -, on calls that stdin gives as JSON: "
        '{"rules": ["allow bash(git log *)"], "calls": [{"tool": "bash", "arguments": {"command": "ls"}}]}. '
        "Without rules there, those in force here.",
    )
    testing.add_argument("--json", action="store_true", help="for programs")
    testing.add_argument("rules", nargs="*", metavar="RULE", help="such as 'bash(git log *)'; - reads stdin")
    options = parser.parse_args(arguments)

    from dsh_tui.engine.frontends import permissions

    if options.verb == "list":
        return permissions.list_rules(as_json=options.json)
    if options.rules == ["-"] or (not options.rules and not sys.stdin.isatty()):
        return permissions.test_calls(sys.stdin.buffer.read(), as_json=options.json)
    if not options.rules or "-" in options.rules:
        testing.error("test what? give a RULE, or - and calls on stdin")
    return permissions.test_rules(options.rules, as_json=options.json)
