"""What the rules make of a call: deny, ask, allow, or nothing. Pure but for looking at paths.

Deny beats ask, ask beats allow. What is not understood is never allowed. Source: design §3.15.
"""

from __future__ import annotations

from collections.abc import Sequence

from dsh_tui.engine.permissions.facts import CallFacts
from dsh_tui.engine.permissions.rule import COMMAND_TOOL, EFFECTS_BY_RANK, PATH_ARGUMENTS, Rule
from dsh_tui.engine.permissions.verdict import Verdict


def judge(rules: Sequence[Rule], call: CallFacts) -> Verdict:
    """The verdict on one call. Never raises."""
    none = Verdict(None, None, f"No rule speaks of {call.tool}.")
    if not rules:
        return none
    # Most sessions have no rules, and the languages of patterns take a while to load. Both come with the
    # first call, before an agent that works on dsh-tui could have changed them.
    from dsh_tui.engine.permissions.command_rules import judge_command
    from dsh_tui.engine.permissions.path_rules import judge_path

    own = [rule for rule in rules if rule.tool == call.tool]
    if not own:
        return none
    if call.tool == COMMAND_TOOL:
        return judge_command(own, call)
    if call.tool in PATH_ARGUMENTS:
        return judge_path(own, call)
    rule = min(own, key=lambda rule: EFFECTS_BY_RANK.index(rule.effect))
    return Verdict(rule.effect, rule, f"{rule.text} covers every call of {call.tool}.")
