"""The sandbox of every session: its policy by its mode, the bounds of a call, and who confines.

Source: capabilities B4; design §3.16.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path

from dsh_tui.engine.kernel import ServiceKey
from dsh_tui.engine.modes.mode import CONFINED, Mode
from dsh_tui.engine.modes.modes import Modes
from dsh_tui.engine.sandbox.backends import first_working
from dsh_tui.engine.sandbox.bounds import GUARDED, Bounds, Confining, Policy, Wider, is_wider
from dsh_tui.engine.sandbox.escalation import EscalationError, was_approved
from dsh_tui.engine.sandbox.seam import Backend, Confined, SandboxUnavailableError
from dsh_tui.engine.sandbox.temp_folders import TempFolders
from dsh_tui.engine.session.session import Session
from dsh_tui.engine.tools.definition import ToolCall


class Sandbox:
    """Says what a call may change, and confines its command to that. Published under `SANDBOX`."""

    def __init__(
        self,
        modes: Modes,
        backends: Sequence[Backend],
        *,
        confining: Confining = "workspace-write",
        writable: Iterable[Path] = (),
        vital: Iterable[Path] = (),
        hidden: Iterable[Path] = (),
    ) -> None:
        """Paths are followed here, once: what a command does to a link later opens no other folder."""
        self._modes = modes
        self._backends = tuple(backends)
        self._confining: Confining = confining
        self._writable = tuple(map(_followed, writable))
        self._vital = tuple(map(_followed, vital))
        self._hidden = tuple(map(_followed, hidden))
        self.temps = TempFolders()

    @property
    def confines(self) -> bool:
        """Whether this system is one where commands can be confined at all."""
        return bool(self._backends)

    def policy(self, session: Session) -> Policy:
        """What the session's next call may change without asking to leave."""
        return self._policy_in(self._modes.current(session))

    def bounds(self, call: ToolCall, asked: Wider | None = None) -> Bounds | None:
        """The limits of one call, by the mode it was admitted in; None: it has none.

        Raises:
            EscalationError: it asks for what is not wider, or what nobody approved.
        """
        policy = self._policy_in(self._modes.admitted(call))
        if asked is not None:
            self._check_wider(policy, asked)
            if not was_approved(call):
                raise EscalationError("Nobody approved that this call leaves the sandbox. It did not run.")
            policy = asked
        return None if policy == "danger-full-access" else self._bounds(call, policy)

    def objection(self, call: ToolCall, asked: Wider) -> str | None:
        """Why a person need not even be asked whether this call may leave the sandbox."""
        try:
            self._check_wider(self.policy(call.session), asked)
        except EscalationError as error:
            return error.message
        return None

    @property
    def backend(self) -> Backend:
        """The one in use: the first that works here. May take seconds, once, whatever comes of it.

        Raises:
            SandboxUnavailableError: none does; the message says why.
        """
        if isinstance(self._found, SandboxUnavailableError):
            raise self._found.with_traceback(None)
        return self._found

    @cached_property
    def _found(self) -> Backend | SandboxUnavailableError:
        try:
            return first_working(self._backends)
        except SandboxUnavailableError as error:
            return error

    @property
    def enforcement(self) -> str:
        """What confines here and how far, in a sentence for a person who chooses the mode.

        Raises:
            SandboxUnavailableError: nothing does.
        """
        backend = self.backend
        more = "; `dsh-tui doctor` names what is not" if backend.enforcement == "partial" else ""
        return f"{backend.name} confines commands: enforcement is {backend.enforcement}{more}"

    def confine(self, argv: Sequence[str], bounds: Bounds, cwd: Path) -> Confined:
        """The command line that runs ``argv`` inside the bounds. Blocks; see `backend`.

        Raises:
            SandboxUnavailableError: it can't be confined, so it must not run.
        """
        confined = self.backend.confine(argv, bounds, cwd)
        if bounds.temp is None:
            return confined
        return replace(confined, environment={**confined.environment, "TMPDIR": str(bounds.temp)})

    def _policy_in(self, mode: Mode) -> Policy:
        return self._confining if mode == CONFINED else "danger-full-access"

    def _check_wider(self, policy: Policy, asked: Wider) -> None:
        if is_wider(asked, policy):
            return
        holds = (
            "this session is not confined now"
            if policy == "danger-full-access"
            else f"the policy is {policy} already"
        )
        raise EscalationError(
            f"`sandbox_permissions: {asked}` asks for nothing more: {holds}. The call did not run. "
            "Send it again without `sandbox_permissions` and `justification`."
        )

    def _bounds(self, call: ToolCall, policy: Confining) -> Bounds:
        workspace = _followed(call.cwd)
        if policy == "read-only":
            return Bounds(policy=policy, workspace=workspace, vital=self._vital, hidden=self._hidden)
        try:
            temp = self.temps.of(call.session)
        except OSError as error:
            raise SandboxUnavailableError(f"There is no folder for temporary files: {error}.") from error
        # A folder that became a link meanwhile was made one by a command.
        roots = (workspace, *(root for root in self._writable if _followed(root) == root))
        return Bounds(
            policy=policy,
            workspace=workspace,
            writable=(*roots, temp),
            guarded=tuple(_followed(root / name) for root in roots for name in sorted(GUARDED)),
            vital=self._vital,
            hidden=self._hidden,
            temp=temp,
        )


def _followed(path: Path) -> Path:
    """The path without links; a loop of them stays what it is."""
    return Path(os.path.realpath(path))


SANDBOX: ServiceKey[Sandbox] = ServiceKey("sandbox")
