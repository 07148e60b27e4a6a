"""Folder trust in the app: what of the shown session's project waits for trust, the question, its answer.

A project is asked about by itself once a run, when it is first shown. What changes later is told in one
line, since whoever is at work is not to be stopped; `/trust` shows it. Source: design §3.14.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path
from typing import Final

from dsh_tui.engine.agent.agent import Agent
from dsh_tui.engine.base.real_folder import real_folder
from dsh_tui.engine.product import Product
from dsh_tui.engine.projection.trust_views import TrustAnswer, TrustEntry, TrustQuestion
from dsh_tui.engine.projection.views import ChatView
from dsh_tui.engine.trust.manifest import Entry, Manifest
from dsh_tui.engine.trust.service import TRUST_CHANGED
from dsh_tui.engine.trust.words import State, in_short, with_states

SHOWN: Final = 200_000
"""Characters of an entry that can be read on the screen."""


@dataclass(frozen=True, slots=True)
class _Place:
    """One project as it was looked at last."""

    known: frozenset[tuple[str, str]]
    """Key and digest of all that it brings."""
    untrusted: int
    """How much of it has no effect; what was declined is not counted."""
    asks: bool
    """Whether to ask by itself, once nobody is typing."""


class FolderTrust:
    """Implements the screens' `TrustPort` for whatever project is shown."""

    def __init__(
        self,
        product: Product,
        *,
        agent: Callable[[], Agent | None],
        changed: Callable[[], None],
        notify: Callable[[str, str], None],
        spawn: Callable[[Awaitable[None]], object],
    ) -> None:
        self._product, self._trust = product, product.trust
        self._agent, self._changed, self._notify, self._spawn = agent, changed, notify, spawn
        self._places: dict[Path, _Place] = {}
        self._looking: set[Path] = set()
        self._asked: dict[str, Manifest] = {}
        """What was shown last, by the question's id."""
        self._questions = count(1)
        self._fault = ""
        product.engine.root.on(TRUST_CHANGED, self._look_again)

    def marked(self, view: ChatView) -> ChatView:
        """The view with what waits for trust in its project; what was declined does not."""
        root = self._root()
        place = self._places.get(root)
        if place is None:
            if root not in self._looking:
                self._looking.add(root)
                self._spawn(self._look(root))
            return view
        return replace(view, untrusted=place.untrusted, asks_trust=place.asks)

    # What the screen asks

    async def question(self) -> TrustQuestion:
        """All of the shown project, read now."""
        manifest, entries = await asyncio.to_thread(self._entries, self._root())
        question_id = f"{next(self._questions)}"
        self._asked = {question_id: manifest}
        return TrustQuestion(
            id=question_id,
            project=str(manifest.project),
            entries=entries,
            never=tuple((one.path, one.why) for one in manifest.left_out),
        )

    def _entries(self, project: Path) -> tuple[Manifest, tuple[TrustEntry, ...]]:
        manifest = self._trust.manifest(project)
        states = with_states(manifest, self._trust.standing(manifest))
        return manifest, tuple(_view(entry, state) for entry, state in states)

    async def answer(self, question_id: str, answer: TrustAnswer) -> None:
        """Act on an answer; about what was shown, whatever the files are by now."""
        manifest = self._asked[question_id]
        self._no_longer_asks(manifest.project)
        match answer:
            case "trust":
                await self._trust.trust(manifest)
                await self._product.projects.sync(manifest.project)
                self._notify("This folder is trusted as it was shown", "ok")
            case "never":
                await self._trust.decline(manifest)
                self._notify("Not trusted, and not asked again until something changes · /trust", "info")
            case "later":
                self._notify("Not trusted: what it brings has no effect · /trust asks again", "info")
            case "leave":
                return
            case "revoke":
                await self._trust.revoke(manifest.project)
                await self._product.projects.sync(manifest.project)
                self._notify("Nothing of this folder is trusted any more", "ok")

    # Private

    def _root(self) -> Path:
        """The project of the session that is shown; where the app was started, if nobody works in it."""
        agent = self._agent()
        return Path(real_folder(str((agent and agent.session.cwd) or self._product.cwd)))

    async def _look(self, project: Path) -> None:
        try:
            manifest = await asyncio.to_thread(self._trust.manifest, project)
            standing = await asyncio.to_thread(self._trust.standing, manifest)
        finally:
            self._looking.discard(project)
        before = self._places.get(project)
        untrusted = 0 if standing.declined else len(standing.pending)
        asks = bool(untrusted) and (before is None or before.asks)
        known = frozenset((entry.key, entry.digest) for entry in manifest.entries)
        self._places[project] = _Place(known, untrusted, asks)
        seen = known if before is None else before.known
        news = [entry for entry in standing.pending if (entry.key, entry.digest) not in seen]
        fault = self._trust.fault
        if fault and before is not None and fault != self._fault:
            self._notify(fault, "error")
        elif before is None and manifest.faults and not asks:
            first = manifest.faults[0]
            self._notify(f"{first.path}: {first.why}; it has no effect · /trust", "info")
        elif news:
            self._notify(f"{in_short(news)}: no effect until trusted · /trust", "warning")
        self._fault = fault
        self._changed()

    def _look_again(self, project: Path) -> Awaitable[None] | None:
        return self._look(project) if project in self._places else None

    def _no_longer_asks(self, project: Path) -> None:
        place = self._places.get(project)
        if place is not None:
            self._places[project] = replace(place, asks=False)
        self._changed()


def _view(entry: Entry, state: State) -> TrustEntry:
    text = "\n".join(
        file.content.decode("utf-8", "replace")
        if len(entry.files) == 1
        else f"── {file.path} ──\n{file.content.decode('utf-8', 'replace')}"
        for file in entry.files
    )
    return TrustEntry(
        kind=entry.kind,
        path=entry.path,
        size=entry.size,
        state=state,
        text=text[:SHOWN],
        note=entry.note,
        hidden=max(0, len(text) - SHOWN),
    )
