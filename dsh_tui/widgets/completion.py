"""Completion: the list above the composer for ``/commands``, ``@files`` and earlier prompts.

Floats over the transcript, so that nothing moves while one types. Files are walked in a
thread, once per mention; what was known before is offered meanwhile.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

from textual import work
from textual.content import Content
from textual.geometry import Offset
from textual.message import Message
from textual.worker import get_current_worker

from dsh_tui.actions import ACTIONS, BY_NAME, keys_of
from dsh_tui.widgets.columns import cut, spread
from dsh_tui.widgets.file_finder import find_files
from dsh_tui.widgets.fuzzy import best
from dsh_tui.widgets.row_list import RowList
from dsh_tui.widgets.visible_text import one_line

MOST_SHOWN: Final = 20
MOST_ROWS: Final = 8
_MENTION: Final = re.compile(r"(?:^|\s)@(\S*)$")
_COMMAND: Final = re.compile(r"^/([\w-]*)$")

Kind = Literal["command", "file", "prompt"]


@dataclass(frozen=True, slots=True)
class Offer:
    """One thing that can be taken: what is inserted, and what explains it."""

    kind: Kind
    text: str
    note: str = ""
    keys: str = ""


_COMMANDS: Final = {
    action.slash: Offer(
        kind="command",
        text=action.slash,
        note=f"{action.label} · {action.argument}" if action.argument else action.label,
        keys=next(iter(keys_of(action)), ""),
    )
    for action in sorted(ACTIONS, key=lambda action: action.group not in ("Session", "View"))
    if action.slash
}
_NAMES: Final = {**{name: _COMMANDS[action.slash] for name, action in BY_NAME.items()}, **_COMMANDS}
"""What may be typed: the names themselves, and those that other programs have for them."""


class Completion(RowList[Offer], can_focus=False):
    """What fits the word before the cursor. Closed when nothing does."""

    DEFAULT_CSS = """
    Completion {
        display: none;
        overlay: screen;
        width: 100%;
        height: auto;
        max-height: 8;
        background: $raised;
        padding: 0 1;
        scrollbar-background: $raised;
        &.-open { display: block; }
    }
    """

    class Taken(Message):
        """An offer was chosen; ``run`` when Enter chose it, not Tab."""

        def __init__(self, offer: Offer, *, run: bool) -> None:
            self.offer = offer
            self.run = run
            super().__init__()

    def __init__(self, root: Path, *, id: str | None = None) -> None:  # noqa: A002 - Textual's word
        super().__init__(id=id)
        self._root = root
        self._files: list[str] = []
        self._mention: str | None = None
        self._dismissed = ""

    @property
    def is_open(self) -> bool:
        return self.has_class("-open")

    def offer(self, before: str, *, alone: bool) -> None:
        """Show what completes ``before``, the text left of the cursor; ``alone``: the draft is one line."""
        if before == self._dismissed and before:
            return
        self._dismissed = ""
        command = _COMMAND.match(before) if alone else None
        mention = _MENTION.search(before)
        if command is not None:
            names = best(command[1], _NAMES if command[1] else _COMMANDS, MOST_SHOWN)
            self._open(list(dict.fromkeys(_NAMES[name] for name in names)))
        elif mention is not None:
            if self._mention is None:
                self._walk()
            self._mention = mention[1]
            self._open([Offer("file", path) for path in best(mention[1], self._files, MOST_SHOWN)])
        else:
            self.close()

    def offer_history(self, prompts: list[str]) -> None:
        """Show earlier prompts; stays open when none fits, so that Esc still leaves the search."""
        offers = [Offer("prompt", prompt) for prompt in prompts]
        self._open(offers or [Offer("prompt", "", "no earlier prompt has these words")])

    def close(self) -> None:
        """Show nothing."""
        self._mention = None
        self.remove_class("-open")

    def dismiss(self, before: str) -> None:
        """Close, and stay closed until another text is before the cursor."""
        self._dismissed = before
        self.close()

    def press(self, key: str) -> bool:
        """Whether the key moved in or took from the list."""
        match key:
            case "up" | "ctrl+p":
                self.action_move(-1)
            case "down" | "ctrl+n" | "ctrl+r":
                self.action_move(1)
            case "enter" | "tab":
                return self._take(run=key == "enter")
            case _:
                return False
        return True

    def draw(self, row: Offer, width: int) -> Content:
        if row.kind == "prompt":
            return Content(cut(one_line(row.text), width)) if row.text else Content.styled(row.note, "$dim")
        if row.kind == "file":
            folder, _, name = row.text.rstrip("/").rpartition("/")
            tail = "/" if row.text.endswith("/") else ""
            left = Content.assemble((one_line(f"{folder}/" if folder else ""), "$dim"), one_line(name) + tail)
            return left.truncate(width, ellipsis=True)
        left = Content.assemble((f"/{row.text}".ljust(16), "$accent"), (row.note, "$dim"))
        return spread(left, Content.styled(row.keys, "$dim"), width)

    def action_choose(self) -> None:
        self._take(run=True)

    def _take(self, *, run: bool) -> bool:
        offer = self.row
        self.close()
        if offer is None or not offer.text:
            return False
        self.post_message(self.Taken(offer, run=run))
        return True

    def _open(self, offers: list[Offer]) -> None:
        if not offers:
            self.remove_class("-open")
            return
        self.show(offers)
        self.styles.height = min(len(offers), MOST_ROWS)
        self.styles.offset = Offset(0, -min(len(offers), MOST_ROWS))
        self.add_class("-open")

    @work(thread=True, exclusive=True, exit_on_error=False)
    def _walk(self) -> None:
        worker = get_current_worker()
        files = find_files(self._root, lambda: worker.is_cancelled)
        if not worker.is_cancelled:
            self.app.call_from_thread(self._found, files)

    def _found(self, files: list[str]) -> None:
        self._files = files
        if self._mention is not None:
            self._open([Offer("file", path) for path in best(self._mention, files, MOST_SHOWN)])
