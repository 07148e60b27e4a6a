"""The book: which rules are in force for a session, what they make of a call, and their change.

Rules of the session, the project and the user count together: deny beats ask, ask beats allow,
wherever they stand; the order of the scopes only says which of two alike is named. What a person
adds or revokes is in force when `add` or `revoke` returns, and stored.
Source: design §3.15; core spec §6 (Ask).
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal, TypeAlias, assert_never, get_args

from dsh_tui.engine.base.to_the_end import to_the_end
from dsh_tui.engine.kernel import Context, ServiceKey
from dsh_tui.engine.permissions.facts import CallFacts
from dsh_tui.engine.permissions.judge import judge
from dsh_tui.engine.permissions.past_calls import PastCalls
from dsh_tui.engine.permissions.project_rules import ProjectRules
from dsh_tui.engine.permissions.rule import Rule
from dsh_tui.engine.permissions.rule_file import ReadRules, RuleFile, RuleFileError
from dsh_tui.engine.permissions.session_rules import SessionRules
from dsh_tui.engine.permissions.unread import UnreadRule
from dsh_tui.engine.permissions.verdict import Verdict
from dsh_tui.engine.tools.decisions import BY_MODE

if TYPE_CHECKING:
    from dsh_tui.engine.approval.requests import ApprovalRequest
    from dsh_tui.engine.session.session import Session
    from dsh_tui.engine.tools.definition import AnyTool, ToolCall

Scope: TypeAlias = Literal["session", "project", "user"]
SCOPES: Final[tuple[Scope, ...]] = get_args(Scope)
MOST_PAST: Final = 3
"""How many earlier calls a proposal shows."""


@dataclass(frozen=True, slots=True)
class ScopedRule:
    """A rule in force, where it stands, and since when (epoch ms; None if nobody wrote that down)."""

    rule: Rule
    scope: Scope
    since: int | None = None


@dataclass(frozen=True, slots=True)
class ScopedUnread:
    """The same of a rule that can't be read."""

    rule: UnreadRule
    scope: Scope
    since: int | None = None


@dataclass(frozen=True, slots=True)
class Judgement:
    """A verdict, and where the rule stands that gave it. Without one the mode decides."""

    verdict: Verdict
    scope: Scope | None = None
    unread: UnreadRule | None = None
    """It asks because of this one."""

    @property
    def rule(self) -> Rule | None:
        return self.verdict.rule

    @property
    def by(self) -> str:
        """The text of the rule; empty without one, and only then."""
        found = self.rule or self.unread
        return "" if found is None else found.text.strip() or "a rule without words"


NO_RULE: Final = Judgement(Verdict(None, None, "no rule speaks of it"))


@dataclass(frozen=True, slots=True)
class Proposal:
    """The rules that together would cover a call, what they would have covered, and for how long."""

    rules: tuple[Rule, ...] = ()
    past: tuple[str, ...] = ()
    """Earlier calls in one line each, newest first."""
    scopes: tuple[tuple[Scope, str], ...] = ()
    why_not: str = ""
    """Why no rule is offered."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PermissionsConfig:
    """Where the user's and the projects' rules come from, and where they are written."""

    user_rules: Callable[[], tuple[Rule, ...]] = tuple
    """The ones in use, which are the last good ones of the file."""
    user_unread: Callable[[], tuple[UnreadRule, ...]] = tuple
    """What stands for those of the file that can't be read."""
    user_file: RuleFile | None = None
    read_project_rules: ReadRules = lambda _path, _content: ()
    reload: Callable[[], Awaitable[object]] | None = None
    """Takes up the user's file after it was written."""
    past: PastCalls
    """What was called before, in all sessions."""
    kept: tuple[Path, ...] = ()
    """Folders whose files a rule has to name, wherever they lie: dsh-tui's own home."""


class Permissions:
    """The rules of all scopes. Published under `PERMISSIONS`."""

    def __init__(self, ctx: Context, config: PermissionsConfig) -> None:
        self._config = config
        self._session_rules = SessionRules(ctx)
        self._project_rules = ProjectRules(ctx, config.read_project_rules)
        self._kept = tuple(folder.resolve() for folder in config.kept)
        self.past = config.past

    def rules(self, session: Session) -> tuple[ScopedRule, ...]:
        """All that are in force, nearest scope first."""
        own = [
            ScopedRule(held.rule, "session", held.since)
            for held in self._session_rules.of(session)
            if isinstance(held.rule, Rule)
        ]
        project = [ScopedRule(rule, "project") for rule in self._project_rules.of(_project(session))]
        user = [ScopedRule(rule, "user") for rule in self._config.user_rules()]
        return (*own, *project, *user)

    def unread(self, session: Session) -> tuple[ScopedUnread, ...]:
        """All that can't be read, nearest scope first."""
        own = [
            ScopedUnread(held.rule, "session", held.since)
            for held in self._session_rules.of(session)
            if isinstance(held.rule, UnreadRule)
        ]
        project = [ScopedUnread(rule, "project") for rule in self._project_rules.unread(_project(session))]
        user = [ScopedUnread(rule, "user") for rule in self._config.user_unread()]
        return (*own, *project, *user)

    def judge(self, call: ToolCall, definition: AnyTool) -> Judgement:
        """What the rules make of a call. Never raises."""
        return self.judge_facts(call.session, facts_of(call, definition, self._kept))

    def judge_facts(self, session: Session, facts: CallFacts) -> Judgement:
        """The same of a call that nobody made."""
        scoped = self.rules(session)
        verdict = judge([one.rule for one in scoped], facts)
        if verdict.decision not in ("deny", "ask"):
            for unread in self.unread(session):
                if unread.rule.may_mean(facts.tool):
                    why = f"A rule that can't be read may speak of it: {unread.rule.text}."
                    return Judgement(Verdict("ask", None, why), unread.scope, unread.rule)
        scope = next((one.scope for one in scoped if one.rule == verdict.rule), None)
        return Judgement(verdict, scope)

    async def add(self, session: Session, rules: Sequence[Rule], scope: Scope, *, by: str = "user") -> None:
        """Put rules in force, and store them. Those that are there already change nothing.

        Raises:
            HarnessError, OSError: they are not stored and not in force.
        """
        match scope:
            case "session":
                self._session_rules.add(session, rules, by=by)
            case "project":
                await self._project_rules.add(_project(session), rules)
            case "user":
                await self._edit_user_file(lambda file: file.add(rules))
            case _:
                assert_never(scope)

    async def revoke(self, session: Session, rule: Rule, scope: Scope, *, by: str = "user") -> None:
        """Take a rule out of force, and out of where it is stored.

        Raises:
            HarnessError, OSError: it is in force still.
        """
        match scope:
            case "session":
                self._session_rules.revoke(session, rule, by=by)
            case "project":
                await self._project_rules.remove(_project(session), rule)
            case "user":
                await self._edit_user_file(lambda file: file.remove(rule))
            case _:
                assert_never(scope)

    def revoke_unread(self, session: Session, unread: ScopedUnread, *, by: str = "user") -> None:
        """Take a rule of the session out of force although it can't be read.

        Raises:
            HarnessError: it stands in a file, where only a person can tell it from the rest.
        """
        if unread.scope != "session":
            raise RuleFileError(f"mend the file by hand: {unread.rule.why}")
        self._session_rules.revoke(session, unread.rule, by=by)

    def restore_unread(self, session: Session, unread: ScopedUnread, *, by: str = "user") -> None:
        """Put back what `revoke_unread` took out."""
        self._session_rules.add(session, (unread.rule,), by=by)

    def proposed(self, request: ApprovalRequest) -> tuple[Rule, ...]:
        """The only rules that may be added with an answer to this request."""
        if self._why_not(request):
            return ()
        from dsh_tui.engine.permissions.proposal import propose  # only where a person is asked

        return propose(facts_of(request.call, request.definition, self._kept))

    async def proposal(self, request: ApprovalRequest) -> Proposal:
        """What may be added, with all that a person must see before they choose it."""
        rules = self.proposed(request)
        if not rules:
            why_not = self._why_not(request)
            return Proposal(why_not=why_not or "No rule covers exactly such calls: allow each one by itself.")
        past = await self.past.matching(rules, request, MOST_PAST)
        return Proposal(rules, past, self._scopes(request.call.session))

    def _scopes(self, session: Session) -> tuple[tuple[Scope, str], ...]:
        project = _project(session)
        offered: list[tuple[Scope, str]] = [
            ("session", "in this session, also when it is resumed; forks don't get it")
        ]
        if self._project_rules.are_writable(project):
            offered.append(("project", f"in {project}, in every session, until you revoke it"))
        if self._config.user_file is not None:
            offered.append(("user", "in every folder, in every session, until you revoke it"))
        return tuple(offered)

    @staticmethod
    def _why_not(request: ApprovalRequest) -> str:
        if request.by == BY_MODE:
            return ""
        return f"The mode is not what asks here but {request.by}, and a rule answers for the mode only."

    async def _edit_user_file(self, edit: Callable[[RuleFile], object]) -> None:
        file = self._config.user_file
        if file is None:
            raise RuleFileError("there is no settings file to keep rules in")
        await to_the_end(lambda: edit(file))
        if self._config.reload is not None:
            await self._config.reload()


def facts_of(call: ToolCall, definition: AnyTool, kept: tuple[Path, ...] = ()) -> CallFacts:
    """What rules may know of a call; ``kept`` are real folders."""
    arguments = call.args if isinstance(call.args, dict) else {}
    return CallFacts(
        tool=definition.name,
        kind=definition.kind,
        arguments=arguments,
        cwd=call.cwd,
        kept=kept,
        paths=call.admission.paths,
    )


def _project(session: Session) -> Path:
    return Path(session.cwd) if session.cwd is not None else Path.cwd()


PERMISSIONS: ServiceKey[Permissions] = ServiceKey("permissions")
