"""The plan of a compaction: what a summary would stand for, and what stays as it is.

Made from the surface and good only for that surface: if it was rewritten since, the plan is void.
Source: core spec §10; ux spec §3.3 (forecast).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import Final

from dsh_tui.engine.compaction.checkpoint import last_prompt
from dsh_tui.engine.compaction.cut import FEWEST, find_cut
from dsh_tui.engine.compaction.errors import NothingToCompactError
from dsh_tui.engine.compaction.weight import Scale
from dsh_tui.engine.llm.messages import Message
from dsh_tui.engine.session.derive import project
from dsh_tui.engine.session.session import Session

LEAST_TOKENS: Final = 400
"""What a summary must stand for at least, to save anything."""
_GUESS: Final = 1_500
_SHARE: Final = 4
_LAST_PROMPT: Final = 0.4
"""The share of a history that the turn of its last prompt may take and still be kept whole."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What is cut off and what is kept. Token counts are estimates."""

    generation: int
    seqs: tuple[int, ...]
    """The surface events from its beginning that the summary would stand for."""
    messages: tuple[Message, ...]
    prompt: str
    """The person's last prompt, if it is among them."""
    tokens: int
    kept_messages: int
    kept_tokens: int

    @property
    def uncached(self) -> int:
        """About what the next request sends uncached: a summary, and what is kept."""
        return min(_GUESS, self.tokens // _SHARE) + self.kept_tokens

    def holds(self, session: Session) -> bool:
        """Whether the surface still begins with these events."""
        return session.replace_generation == self.generation

    def renewed(self, session: Session, scale: Scale) -> Plan:
        """The same cut, after events before it gave place to one other each."""
        count = len(self.seqs)
        return replace(
            self,
            generation=session.replace_generation,
            seqs=tuple(node.seq for node in session.surface[:count]),
            messages=session.derive()[: len(self.messages)],
            tokens=sum(scale.weigh(session)[:count]),
        )


def plan_compaction(session: Session, scale: Scale, retain: float, window: int | None) -> Plan:
    """Keep about ``retain`` of the window; of the history itself, where that is smaller.

    Raises:
        NothingToCompactError: says why.
    """
    messages = session.derive()
    if not messages:
        raise NothingToCompactError("There is nothing to summarise yet.")
    tokens = [weight for weight in scale.weigh(session) if weight]
    total = sum(tokens)
    most = retain * min(total, window or total)
    tails = list(accumulate(reversed(tokens)))
    fitting = sum(tail <= most for tail in tails)
    place, _ = last_prompt(messages)
    wanted = len(messages) - max(1, fitting)
    if wanted > place >= FEWEST and sum(tokens[place:]) <= total * _LAST_PROMPT:
        wanted = place  # rather keep somewhat more than part a short turn from its prompt
    return _plan_at(session, tokens, find_cut(messages, wanted))


def narrower_plan(session: Session, scale: Scale, plan: Plan) -> Plan | None:
    """One that cuts off half of what ``plan`` does, about; None where that would not be worth a summary."""
    tokens = [weight for weight in scale.weigh(session) if weight]
    fitting = sum(size <= plan.tokens / 2 for size in accumulate(tokens))
    try:
        narrower = _plan_at(session, tokens, find_cut(session.derive(), fitting))
    except NothingToCompactError:
        return None
    return narrower if narrower.tokens < plan.tokens else None


def _plan_at(session: Session, tokens: Sequence[int], cut: int | None) -> Plan:
    messages = session.derive()
    if cut is None:
        raise NothingToCompactError(
            f"Nothing can be summarised: {len(messages)} message{'' if len(messages) == 1 else 's'}, and no "
            "place to cut that leaves all calls with their results."
        )
    gone = sum(tokens[:cut])
    if gone < LEAST_TOKENS:
        raise NothingToCompactError(
            f"A summary would save nothing: what it would stand for is only about {gone} tokens."
        )
    place, prompt = last_prompt(messages)
    return Plan(
        generation=session.replace_generation,
        seqs=_seqs_before(session, cut),
        messages=messages[:cut],
        prompt=prompt if place < cut else "",
        tokens=gone,
        kept_messages=len(messages) - cut,
        kept_tokens=sum(tokens[cut:]),
    )


def _seqs_before(session: Session, cut: int) -> tuple[int, ...]:
    """Of all surface events before the message at ``cut``, those that say nothing too."""
    seqs: list[int] = []
    spoken = 0
    for node in session.surface:
        if project(node) is not None:
            if spoken == cut:
                break
            spoken += 1
        seqs.append(node.seq)
    return tuple(seqs)
