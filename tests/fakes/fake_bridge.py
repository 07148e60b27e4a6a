"""A port without an engine: it records what it is asked and shows scripted views."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from dsh_tui.engine.projection.views import BlockView, ChatView, ModelRow, SessionRow, StatusView

Asked = tuple[object, ...]


class FakeBridge:
    """Implements `ChatPort`. `change` posts another view, as the real one would."""

    def __init__(self, view: ChatView | None = None, *, cwd: str = "/work/payments-api") -> None:
        self._view = view or empty_view(cwd)
        self.asked: list[Asked] = []
        self.needs_key = False
        self.rows: list[SessionRow] = []
        self.previews: dict[str, Sequence[BlockView]] = {}
        self.model_rows: list[ModelRow] = []
        self.fails: dict[str, Exception] = {}
        self.post: Callable[[ChatView], None] = lambda view: None
        self.closed = False

    @property
    def view(self) -> ChatView:
        return self._view

    def change(self, **changes: object) -> None:
        """Post the view with other values; blocks count as changed from the first when given."""
        changes.setdefault("changed_from", 0 if "blocks" in changes else len(self._view.blocks))
        self._view = replace(self._view, **changes)  # type: ignore[arg-type] # names are checked by replace
        self.post(self._view)

    def status(self, **changes: object) -> None:
        """Post the view with another status."""
        self.change(status=replace(self._view.status, **changes))  # type: ignore[arg-type] # as above

    def send(self, text: str) -> None:
        self.asked.append(("send", text))
        if self._view.status.state in ("running", "waiting", "stopping"):
            self.change(queue=(*self._view.queue, text))

    def steer(self, text: str) -> None:
        self.asked.append(("steer", text))

    def cancel(self) -> None:
        self.asked.append(("cancel",))
        self.change(status=replace(self._view.status, state="stopping"), queue_paused=bool(self._view.queue))

    def answer(self, approval_id: str, allowed: bool, feedback: str | None) -> None:
        self.asked.append(("answer", approval_id, allowed, feedback))
        self.change(approvals=tuple(a for a in self._view.approvals if a.id != approval_id))

    def unqueue(self, index: int) -> str:
        queue = list(self._view.queue)
        text = queue.pop(index)
        self.asked.append(("unqueue", index))
        self.change(queue=tuple(queue))
        return text

    def resume_queue(self) -> None:
        self.asked.append(("resume_queue",))
        self.change(queue_paused=False)

    def models(self) -> Sequence[ModelRow]:
        return self.model_rows

    def select_model(self, provider: str, model: str, effort: str) -> None:
        self.asked.append(("select_model", provider, model, effort))
        self.status(provider=provider, model=model, effort=effort)

    def select_mode(self, mode: str) -> None:
        self.asked.append(("select_mode", mode))
        self.status(mode=mode)

    async def list_sessions(self) -> Sequence[SessionRow]:
        return self.rows

    async def preview_session(self, session_id: str) -> Sequence[BlockView]:
        return self.previews.get(session_id, ())

    async def open_session(self, session_id: str) -> None:
        self.asked.append(("open_session", session_id))
        if "open_session" in self.fails:
            raise self.fails["open_session"]

    async def fork_session(self, session_id: str, boundary: int | None = None) -> None:
        self.asked.append(("fork_session", session_id, boundary))
        if "fork_session" in self.fails:
            raise self.fails["fork_session"]

    async def new_session(self) -> None:
        self.asked.append(("new_session",))

    def leave_recording(self, then: str = "") -> bool:
        if self.leaves_recording:
            self.asked.append(("leave_recording", then))
        return self.leaves_recording

    @property
    def leaves_recording(self) -> bool:
        return self._view.read_only.startswith("recording") and not self.needs_key

    def rename(self, title: str) -> None:
        self.asked.append(("rename", title))
        self.change(title=title)

    async def save_key(self, key: str) -> None:
        if "save_key" in self.fails:
            raise self.fails["save_key"]
        self.asked.append(("save_key", key))
        self.needs_key = False

    async def save_base_url(self, url: str) -> None:
        self.asked.append(("save_base_url", url))
        self.needs_key = False

    async def close(self) -> None:
        self.closed = True


def empty_view(cwd: str = "/work/payments-api") -> ChatView:
    """A session in which nothing was said."""
    status = StatusView(model="deepseek-flash", provider="deepseek", effort="high", context_window=128_000)
    return ChatView(
        session_id="s1", title="", cwd=cwd, blocks=(), changed_from=0, generation=1, status=status
    )
