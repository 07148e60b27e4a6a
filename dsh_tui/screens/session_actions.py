"""What can be done to a session in the browser: fork, rename, export, repair, delete and have it back."""

from __future__ import annotations

from collections.abc import Coroutine
from pathlib import Path

from textual import work
from textual.screen import Screen

from dsh_tui.engine.projection.views import SessionRow
from dsh_tui.screens.line_entry import LineEntry
from dsh_tui.screens.ports import ChatPort
from dsh_tui.widgets.session_list import named
from dsh_tui.widgets.visible_text import one_line


class SessionActions(Screen[None]):
    """The actions; `SessionsScreen` lists, and says which session is meant."""

    def __init__(self, port: ChatPort, cwd: Path) -> None:
        super().__init__()
        self._port, self._cwd = port, cwd
        self._deleted: list[SessionRow] = []

    @property
    def row(self) -> SessionRow | None:
        """The session that is meant."""
        raise NotImplementedError

    def tell(self, text: str, style: str) -> None:
        """Say one line, until something else is done."""
        raise NotImplementedError

    def open(self, opening: Coroutine[object, object, None]) -> object:
        """Wait for a session to open, then leave the browser."""
        raise NotImplementedError

    def hints(self, width: int, *, typing: bool) -> str:
        """The keys that matter most, as many as fit."""
        row = self.row
        hints = ["enter opens"]
        if row is not None and row.status == "damaged":
            hints.append("ctrl+r repaired copy")
        if self._deleted:
            hints.append("ctrl+z undo")
        hints += ["tab scope", "ctrl+n new", "ctrl+d delete", "f2 rename", "f4 fork", "ctrl+s export"]
        leave = "esc clears" if typing else "esc back"
        while len(hints) > 1 and len(" · ".join([*hints, leave])) > width - 4:
            hints.pop()
        return " · ".join([*hints, leave])

    def trouble(self, row: SessionRow) -> str:
        """What is wrong with a session, and what can be done."""
        mend = "ctrl+r repaired copy · " if row.status == "damaged" else ""
        return f"{mend}{row.note}"

    def action_browser_new(self) -> None:
        self.open(self._port.new_session())

    def action_browser_fork(self) -> None:
        if self.row is not None:
            self.open(self._port.fork_session(self.row.id))

    def action_browser_repair(self) -> None:
        row = self.row
        if row is not None and row.status == "damaged":
            self.open(self._open_repaired(row.id))
        elif row is not None:
            self.tell("This session is not damaged", "$dim")

    async def _open_repaired(self, session_id: str) -> None:
        await self._port.open_session(await self._port.library.repair(session_id))

    def action_browser_rename(self) -> None:
        row = self.row
        if row is None:
            return

        async def rename(title: str) -> None:
            await self._port.library.rename(row.id, title)

        self.app.push_screen(
            LineEntry("Rename this session", "", rename, value=one_line(row.title), placeholder="title")
        )

    def action_browser_export(self) -> None:
        row = self.row
        if row is None:
            return

        async def export(target: str) -> None:
            await self._port.library.export(row.id, target)
            self.tell(f"Exported to {target}", "$ok")

        name = "".join(one if one.isalnum() or one in "-_" else "-" for one in row.id)[:80]
        self.app.push_screen(
            LineEntry(
                "Export this session",
                "The name's end says as what: .md to read, .jsonl the log, .zip both.",
                export,
                value=str(self._cwd / f"{name}.md"),
                placeholder="file",
            )
        )

    @work(group="delete", exit_on_error=False)
    async def action_browser_delete(self) -> None:
        row = self.row
        if row is None:
            return
        try:
            await self._port.library.delete(row.id)
        except Exception as error:  # noqa: BLE001 - said in one line, the session stays
            self.tell(str(error), "$error")
        else:
            self._deleted.append(row)
            self.tell(f"Deleted “{named(row)}” · ctrl+z brings it back", "$ok")

    @work(group="delete", exit_on_error=False)
    async def action_browser_undo(self) -> None:
        if not self._deleted:
            self.tell("Nothing was deleted here", "$dim")
            return
        row = self._deleted[-1]
        try:
            await self._port.library.restore(row.id)
        except Exception as error:  # noqa: BLE001 - as above
            self.tell(str(error), "$error")
        else:
            self._deleted.remove(row)
            self.tell(f"“{named(row)}” is back", "$ok")
