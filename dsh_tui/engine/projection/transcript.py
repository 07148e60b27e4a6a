"""The transcript: one fold from events to blocks, the same for live, resumed and replayed sessions.

O(1) amortised per event; unknown event types change nothing. ``blocks`` is only ever appended to
or replaced in place, so an index means the same block for the life of the fold.
Source: design §2 (prompt to pixels), core spec §3, §8.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from dsh_tui.engine.projection import calls, compactions
from dsh_tui.engine.projection.compaction_views import CompactionView
from dsh_tui.engine.projection.cut_turn import cut_notice
from dsh_tui.engine.projection.drafts import CallDraft, TextDraft, span
from dsh_tui.engine.projection.notices import end_notice, retry_notice, switch_notice
from dsh_tui.engine.projection.receipt import turn_receipt
from dsh_tui.engine.projection.said import beside_turns, said
from dsh_tui.engine.projection.spending import SpendingFold
from dsh_tui.engine.projection.views import AnswerView, BlockView, NoticeView, ToolView, TurnEndView
from dsh_tui.engine.session.event import Event
from dsh_tui.engine.session.pack import ChunkRun

Data = Mapping[str, Any]  # Any: event data, shape by type
_TEXT_KINDS = {"text-delta": "text", "reasoning-delta": "reasoning"}


class TranscriptFold:
    """Blocks in log order; finished and open ones alike. ``spending`` is ahead of it by one event."""

    __slots__ = (
        "_calls", "_compacts", "_decided", "_dirty", "_drafts", "_fresh", "_halves", "_mode_place",
        "_retry_place", "_spending", "_tries", "_turn_blocks", "_turn_started", "blocks", "routes",
    )  # fmt: skip

    def __init__(self, spending: SpendingFold) -> None:
        self._spending = spending
        self.blocks: list[BlockView] = []
        self._dirty: int | None = None
        self._fresh: set[int] = set()  # chunk indexes whose draft grew since the last take
        self._drafts: dict[int, TextDraft | CallDraft] = {}
        self._calls: dict[str, int] = {}
        self._decided: dict[str, str] = {}
        self._retry_place, self._tries = -1, 1
        self._mode_place = self._compacts = -1
        self._halves: list[int] = []  # answers of this step that were cut off and asked for again
        self._turn_started = 0
        self._turn_blocks = 0
        self.routes: dict[str, Callable[[Event], None]] = {
            "assistant/chunk": self._chunk,
            "assistant/attempt": self._attempt,
            "assistant/message": self._assistant_message,
            "user/message": self._user_message,
            "steering/message": self._user_message,
            "context/message": self._user_message,
            "prompt/blocked": self._user_message,
            "tool/call": self._tool_call,
            "tool/result": self._tool_result,
            "approval/asked": self._approval_asked,
            "approval/decided": self._approval_decided,
            "turn/start": self._turn_start,
            "step/start": self._step_start,
            "turn/end": self._turn_end,
            "llm/retry": self._retry,
            "permission/mode": self._switch,
            "model/selected": self._switch,
            **dict.fromkeys(compactions.TAGS, self._compact),
        }

    def apply(self, event: Event) -> None:
        """Fold one event in."""
        route = self.routes.get(event.type)
        if route is not None:
            route(event)

    @property
    def writing(self) -> bool:
        """Whether an answer is being streamed."""
        return bool(self._drafts)

    @property
    def settled(self) -> int:
        """How many blocks will never change again, asked where a turn ends."""
        return len(self.blocks) - (self._mode_place == len(self.blocks) - 1)

    def take_dirty(self) -> int | None:
        """Lowest index of a block changed since the last take; brings open blocks up to date."""
        for index in self._fresh:
            draft = self._drafts[index]
            view = draft.view() if isinstance(draft, CallDraft) else draft.view(done=False)
            self._put(draft.place, view)
        self._fresh.clear()
        dirty, self._dirty = self._dirty, None
        return dirty

    # Blocks

    def _add(self, view: BlockView) -> int:
        place = len(self.blocks)
        self.blocks.append(view)
        self._touch(place)
        return place

    def _put(self, place: int, view: BlockView) -> None:
        self.blocks[place] = view
        self._touch(place)

    def _touch(self, place: int) -> None:
        if self._dirty is None or place < self._dirty:
            self._dirty = place

    # What the model streams

    def _chunk(self, event: Event) -> None:
        chunk = event.data["chunk"]
        kind = chunk["type"]
        if kind in _TEXT_KINDS:
            time = event.time
            self._texts(_TEXT_KINDS[kind], chunk["index"], event.seq, time, time, (chunk["text"],))
        elif kind == "tool-call-delta":
            self._call_delta(event, chunk)
        elif kind == "block-end":
            self._block_end(event, chunk)

    def apply_run(self, run: ChunkRun) -> None:
        """Fold a run of deltas in, as its events one by one would be."""
        kind = _TEXT_KINDS.get(run.kind)
        if kind is not None:
            self._texts(kind, run.index, run.seq, run.times[0], run.times[-1], run.texts)
        else:
            for event in run.events():
                self._chunk(event)

    def _texts(self, kind: str, index: int, seq: int, first: int, last: int, texts: Sequence[str]) -> None:
        """Text of one block, heard between the times ``first`` and ``last``."""
        draft = self._drafts.get(index)
        if not isinstance(draft, TextDraft):
            draft = self._drafts[index] = TextDraft(kind, seq, first, first)
        draft.heard = last
        draft.parts.extend(texts)
        if draft.place < 0:
            # Models open with empty or blank text before a tool call: no block until there is something.
            if not draft.joined().strip():
                return
            draft.place = self._add(draft.view(done=False))
        self._fresh.add(index)

    def _call_delta(self, event: Event, chunk: Data) -> None:
        index = chunk["index"]
        draft = self._drafts.get(index)
        if not isinstance(draft, CallDraft):
            call_id, name = chunk.get("id") or "", chunk.get("name") or ""
            draft = CallDraft(event.seq, event.time, call_id, name, len(self.blocks))
            self._drafts[index] = draft
            self._calls[call_id] = self._add(draft.view())
        elif chunk.get("name") and not draft.name:
            draft.name = chunk["name"]
            draft.presented = -1
        draft.parts.append(chunk.get("argumentsDelta") or "")
        self._fresh.add(index)

    def _block_end(self, event: Event, chunk: Data) -> None:
        block = chunk["block"]
        draft = self._drafts.get(chunk["index"])
        if block["type"] == "tool-call":
            if not isinstance(draft, CallDraft):
                self._call_delta(event, {"index": chunk["index"], "id": block["id"], "name": block["name"]})
                draft = self._drafts[chunk["index"]]
                assert isinstance(draft, CallDraft)
            self._settle_call(draft, block)
        elif block["type"] in ("text", "reasoning"):
            if not isinstance(draft, TextDraft):
                draft = self._drafts[chunk["index"]] = TextDraft(
                    block["type"], event.seq, event.time, event.time
                )
            draft.heard = event.time
            self._settle_text(draft, block["text"])
        self._fresh.discard(chunk["index"])

    def _settle_text(self, draft: TextDraft, text: str, *, interrupted: bool = False) -> None:
        draft.parts.clear()
        draft.text = text
        if draft.place < 0:
            if not text.strip():
                return
            draft.place = self._add(draft.view(done=True, interrupted=interrupted))
            return
        view = draft.view(done=True, interrupted=interrupted)
        if view != self.blocks[draft.place]:
            self._put(draft.place, view)

    def _settle_call(self, draft: CallDraft, block: Data) -> None:
        call = calls.called(draft.seq, draft.started, block["id"], block["name"], block["arguments"])
        self._calls[block["id"]] = draft.place
        before = self.blocks[draft.place]
        assert isinstance(before, ToolView)
        if before.state in calls.UNTAKEN and before != call:
            self._put(draft.place, call)
        draft.parts.clear()
        draft.arguments = block["arguments"]

    def _assistant_message(self, event: Event) -> None:
        data = event.data
        interrupted = bool(data.get("interrupted"))
        texts = [d for d in self._drafts.values() if isinstance(d, TextDraft)]
        streamed = {d.call_id: d for d in self._drafts.values() if isinstance(d, CallDraft)}
        spans = data.get("streamed") or ()
        for at, block in enumerate(data["content"]):
            kind = block["type"]
            if kind in ("text", "reasoning"):
                draft = next((d for d in texts if d.kind == kind), None)
                if draft is None:
                    draft = TextDraft(kind, event.seq, *span(spans, at, event.time))
                else:
                    texts.remove(draft)
                self._settle_text(draft, block["text"], interrupted=interrupted and kind == "text")
            elif kind == "tool-call":
                call = streamed.pop(block["id"], None)
                if call is not None:
                    self._settle_call(call, block)
                elif not self._is_streamed(block["id"]):
                    view = calls.called(event.seq, event.time, block["id"], block["name"], block["arguments"])
                    self._calls[block["id"]] = self._add(view)
        for left in texts:
            self._settle_text(left, left.joined(), interrupted=interrupted)
        for unused in streamed.values():
            self._cancel_draft(unused)
        self._forget_drafts()
        if not interrupted:
            self._put_halves_away()

    def _attempt(self, event: Event) -> None:
        for block in event.data["content"]:
            if block["type"] in ("text", "reasoning"):
                draft = TextDraft(block["type"], event.seq, event.time, event.time)
                self._settle_text(draft, block["text"], interrupted=True)

    def _is_streamed(self, call_id: str) -> bool:
        """Whether a call of this step already has a block, which is not final."""
        _, view = self._find(call_id)
        return view is not None and view.state in calls.UNTAKEN

    def _forget_drafts(self) -> None:
        self._drafts.clear()
        self._fresh.clear()

    def _abandon_drafts(self) -> None:
        """The request ended without a message: what it said stays, marked as cut."""
        for draft in self._drafts.values():
            if isinstance(draft, CallDraft):
                self._cancel_draft(draft)
            elif draft.place >= 0:
                self._settle_text(draft, draft.joined(), interrupted=True)
        self._forget_drafts()

    def _cancel_draft(self, draft: CallDraft) -> None:
        if draft.parts:
            self._put(draft.place, draft.view())
        self._cancel_call(draft.place)

    def _retry(self, event: Event) -> None:
        self._halves += [d.place for d in self._drafts.values() if isinstance(d, TextDraft) and d.place >= 0]
        self._abandon_drafts()
        self._tries = 1 + int(event.data.get("retry") or 1)
        self._add_to_retries(retry_notice(event.seq, event.data))

    def _put_halves_away(self) -> None:
        """The whole answer is there: what was cut off before it need not be read twice."""
        for place in self._halves:
            view = self.blocks[place]
            if isinstance(view, AnswerView):
                self._put(place, replace(view, answered_again=True))
        self._halves.clear()

    def _add_to_retries(self, notice: NoticeView) -> None:
        """One row tells of a chain of retries and of its end, unless something was said in between."""
        if 0 <= self._retry_place == len(self.blocks) - 1:
            self._put(self._retry_place, notice)
        else:
            self._retry_place = self._add(notice)

    # What people and plugins say

    def _user_message(self, event: Event) -> None:
        source = event.data.get("source") or {}
        if self._compacts < 0 or source.get("plugin") != compactions.PRODUCER:  # that has its row already
            self._add(said(event))

    def _compact(self, event: Event) -> None:
        if event.type == "compact/start" or self._compacts < 0:
            self._compacts = self._add(compactions.told(None, event))
        else:
            self._put(self._compacts, compactions.told(self.blocks[self._compacts], event))

    # Tools

    def _tool_call(self, event: Event) -> None:
        data = event.data
        place = self._calls.get(data["callId"])
        view = None if place is None else self.blocks[place]
        if place is None or not isinstance(view, ToolView) or view.state in calls.FINAL:
            view = calls.called(event.seq, event.time, data["callId"], data["name"], data["arguments"])
            place = self._calls[data["callId"]] = self._add(view)
        self._put(place, calls.running(view, event.time))

    def _tool_result(self, event: Event) -> None:
        if event.surface_op is not None and event.surface_op["op"] == "replace":
            return  # what the model sees less of is shown whole
        place, view = self._find(event.data["callId"])
        if view is not None and view.duration_ms is None:
            self._put(place, calls.finished(view, event.data, event.time))

    def _approval_asked(self, event: Event) -> None:
        place, view = self._find(event.data["callId"])
        if view is not None and view.state not in calls.FINAL:
            self._put(place, calls.asked(view, event.data))

    def _approval_decided(self, event: Event) -> None:
        self._decided[event.data["callId"]] = str(event.data["outcome"])
        place, view = self._find(event.data["callId"])
        if view is not None and view.state not in calls.FINAL:
            self._put(place, calls.decided(view, event.data))

    def note_progress(self, call_id: str, line: str) -> None:
        """The newest output line of a running call; in memory only, the result replaces it."""
        place, view = self._find(call_id)
        if view is not None and view.state == "running":
            self._put(place, replace(view, output=line))

    def _find(self, call_id: str) -> tuple[int, ToolView | None]:
        place = self._calls.get(call_id, -1)
        view = self.blocks[place] if place >= 0 else None
        return place, view if isinstance(view, ToolView) else None

    def _cancel_call(self, place: int, *, by_crash: bool = False) -> None:
        view = self.blocks[place]
        if isinstance(view, ToolView) and view.state not in calls.FINAL:
            self._put(place, calls.ended(view, by_crash=by_crash))

    # Turns

    def _turn_start(self, event: Event) -> None:
        self._turn_started = event.time
        self._turn_blocks = len(self.blocks)

    def _step_start(self, event: Event) -> None:
        self._abandon_drafts()  # there are none, unless the log lost an ending
        self._halves.clear()

    def _turn_end(self, event: Event) -> None:
        self._abandon_drafts()
        turn, reason = event.data["turn"], event.data["reason"]
        crashed = reason.get("kind") == "interrupted"
        for place in self._calls.values():
            self._cancel_call(place, by_crash=crashed)
        self._calls.clear()
        if self._compacts >= 0:
            self._put(self._compacts, compactions.ended(self.blocks[self._compacts]))
            self._compacts = -1
        blocks = self.blocks[self._turn_blocks :]
        told = bool(blocks) and all(isinstance(view, CompactionView) for view in blocks)  # by their own row
        cut = cut_notice(event.seq, turn, blocks) if crashed and not told else None
        notice = cut or end_notice(event.seq, reason, tries=self._tries)
        if notice is not None:
            self._add_to_retries(notice)
        self._retry_place, self._tries = -1, 1
        decided, self._decided = self._decided, {}
        if all(beside_turns(view) for view in blocks):
            return  # a turn in which only plugins spoke has nothing to close
        spent = self._spending.turn
        self._add(
            TurnEndView(
                seq=event.seq,
                turn=turn,
                reason=reason.get("kind", ""),
                duration_ms=max(0, event.time - self._turn_started),
                tokens_in=spent.sent,
                tokens_out=spent.received,
                cache_percent=spent.cache_percent,
                cost=spent.cost,
                receipt=turn_receipt(blocks, decided),
            )
        )

    def _switch(self, event: Event) -> None:
        if not self.blocks:
            return  # what a session starts with is no switch
        notice = switch_notice(event.seq, event.type, event.data)
        if event.type != "permission/mode":
            self._add(notice)
        elif 0 <= self._mode_place == len(self.blocks) - 1:  # who cycles through the modes ends in one
            self._put(self._mode_place, notice)
        else:
            self._mode_place = self._add(notice)
