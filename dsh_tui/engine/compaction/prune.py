"""Pruning: long results of old calls give place to their two ends, before a summary is thought of.

Each one is replaced by itself with less content, which cites the ``compact/prune`` that told of it. The
turn that runs keeps its results, since the model works on them, unless it can't go on otherwise.
Source: core spec §10.
"""

from __future__ import annotations

from dataclasses import dataclass

from dsh_tui.engine.compaction.errors import CompactionError
from dsh_tui.engine.compaction.plan import Plan
from dsh_tui.engine.compaction.shorten import LONG, length, note, shortened
from dsh_tui.engine.compaction.weight import Scale
from dsh_tui.engine.llm.blocks import Block, text_of
from dsh_tui.engine.projection.content import plain_text
from dsh_tui.engine.projection.request_parts import estimate_tokens
from dsh_tui.engine.session.session import Session
from dsh_tui.engine.spill.store import SpillStore


@dataclass(frozen=True, slots=True, kw_only=True)
class Pruning:
    """Results to be shortened, by their places on the surface. Token counts are estimates."""

    generation: int
    places: tuple[int, ...]
    before: int
    after: int
    behind: int
    """What of the part that is looked at stands from the first of them on, and is no longer cached."""

    @property
    def saved(self) -> int:
        return self.before - self.after


def find_pruning(session: Session, plan: Plan | None, scale: Scale) -> Pruning | None:
    """What can be shortened of old calls in the part that ``plan`` cuts off; None where nothing is long.

    Without a plan: of all calls everywhere.
    """
    end = None if plan is None else len(plan.seqs)
    kept = None if plan is None else session.open_turn
    surface, weights = session.surface[:end], scale.weigh(session)[:end]
    places = [
        place
        for place, node in enumerate(surface)
        if node.type == "tool/result"
        and (kept is None or node.data["turn"] != kept)
        and length(node.data["content"]) > LONG
    ]
    if not places:
        return None
    before = sum(weights[place] for place in places)
    after = sum(_shortened_tokens(surface[place].data["content"]) for place in places)
    behind = sum(weights[places[0] :]) - before + after
    return Pruning(
        generation=session.replace_generation,
        places=tuple(places),
        before=before,
        after=after,
        behind=behind,
    )


async def prune(session: Session, pruning: Pruning, mark: dict[str, str], spill: SpillStore | None) -> None:
    """Keep the whole results in files, if there is a place for them, then shorten all in one moment.

    ``mark`` is what all events of a compaction say.

    Raises:
        CompactionError: the surface was changed by something else meanwhile; nothing was done to it.
    """
    nodes = [session.surface[place] for place in pruning.places]
    contents: list[tuple[Block, ...]] = []
    for node in nodes:
        whole = node.data["content"]
        path = None
        if spill is not None:
            path = await spill.save(session.id, f"{node.data['callId']}-result", text_of(whole))
        contents.append(shortened(whole, note(length(whole), str(path) if path else None)))
    if session.replace_generation != pruning.generation:
        raise CompactionError("the history was changed by something else meanwhile")
    told = session.append(
        "compact/prune",
        {
            **mark,
            "results": len(nodes),
            "tokensBefore": pruning.before,
            "tokensAfter": pruning.after,
        },
    )
    for place, node, content in zip(pruning.places, nodes, contents, strict=True):
        session.append(
            "tool/result",
            {**node.data, "content": content},
            surface={"op": "replace", "start": place, "end": place},
            sources=(told.seq, node.seq),
        )


def _shortened_tokens(content: tuple[Block, ...]) -> int:
    return estimate_tokens(plain_text(shortened(content, note(length(content), None))))
