"""Messages between the bridge, the screens and the widgets.

Past participle when something happened, a request otherwise.
Source: style guide §2 (words), design §2 (prompt to pixels).
"""

from __future__ import annotations

from dataclasses import replace

from textual import events
from textual.message import Message

from dsh_tui.engine.projection.views import AnswerIntent, ChatView


class FeedChanged(Message):
    """The session looks different now. Only the newest of several waiting ones is seen.

    The one that is superseded hands its lowest changed block on, so none is missed.
    """

    def __init__(self, view: ChatView) -> None:
        self.view = view
        super().__init__()

    def can_replace(self, message: Message) -> bool:
        """Whether ``message``, which is newer, may take this one's place."""
        if not isinstance(message, FeedChanged):
            return False
        newer = message.view
        if newer.generation == self.view.generation and newer.changed_from > self.view.changed_from:
            message.view = replace(newer, changed_from=self.view.changed_from)
        return True


class Submitted(Message):
    """A person sent a prompt: pastes are expanded, white space at the ends is gone."""

    def __init__(self, text: str, *, steer: bool = False) -> None:
        self.text = text
        self.steer = steer
        super().__init__()


class TypedElsewhere(Message):
    """A key or a paste came to a widget that does not write: it belongs to the composer."""

    def __init__(self, event: events.Key | events.Paste) -> None:
        self.event = event
        super().__init__()


class CommandGiven(Message):
    """A slash command was entered: ``name`` without the slash, and what came after it."""

    def __init__(self, name: str, argument: str = "") -> None:
        self.name = name
        self.argument = argument
        super().__init__()


class Noticed(Message):
    """Something a person should know now, in one line. Shown for a few seconds, never as markup."""

    def __init__(self, text: str, tone: str = "info") -> None:
        self.text = text
        self.tone = tone
        super().__init__()


class OwnCommandGiven(Message):
    """A command of one's own was entered: what came after the ``!``."""

    def __init__(self, command: str) -> None:
        self.command = command
        super().__init__()


class FindAsked(Message):
    """Words are to be looked for; ``older``: go on to the next older or newer place of those that are."""

    def __init__(self, *, older: bool | None = None) -> None:
        self.older = older
        super().__init__()


class Decided(Message):
    """A person answered an approval."""

    def __init__(self, approval_id: str, answer: AnswerIntent) -> None:
        self.approval_id = approval_id
        self.answer = answer
        super().__init__()
