"""What a confined command's end says about its sandbox: that it failed, refused something, or neither.

A guess from words, and told as one: a command that fails and says "Permission denied" may have met
the user's own permissions. A command that succeeds after a refusal dealt with it itself.
Source: capabilities B4 (denial is a result fact).
"""

from __future__ import annotations

from dataclasses import replace

from dsh_tui.engine.sandbox.bounds import Bounds
from dsh_tui.engine.sandbox.seam import Confined
from dsh_tui.engine.shell.seam import SandboxFacts, ShellResult


def judged(confined: Confined, bounds: Bounds, result: ShellResult) -> ShellResult:
    """The result with its facts. Output is looked at too: many commands end in ``2>&1``."""
    errors = result.stderr.text
    failed = not result.stdout.text and any(
        result.exit_code == status and errors.startswith(beginning) for status, beginning in confined.failures
    )
    said = (result.stdout.text, errors)
    facts = SandboxFacts(
        policy=bounds.policy,
        enforcement=confined.enforcement,
        denied=bool(result.exit_code)
        and not failed
        and any(words in text for words in confined.denials for text in said),
        failure=errors.strip() if failed else "",
    )
    return replace(result, sandbox=facts)
