"""What stands in and around an empty draft: what sending would do now, or why it can't. Pure.

Source: ux spec §5 (first run), screens spec (empty states teach one thing).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

IDLE: Final = "Ask about this project, or say what to change"
BUSY: Final = "Type the next message: enter queues it, ctrl+x enter steers the turn"
KEYLESS: Final = "Nothing can be sent yet · / lists the commands"
DEMO: Final = "What you send begins a session of your own"
READING: Final = "j k blocks · enter opens · y copies · typing goes here"
"""While the keys go to the transcript."""
RECORDING: Final = "recording"
"""The word that `ChatView.read_only` begins with where a recording is shown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ComposerWords:
    """The words around the draft."""

    placeholder: str = IDLE
    locked: str = ""
    """Why nothing can be sent, or empty."""
    hint: str = ""


def composer_words(
    *, trouble: str, keyless: bool, demo: bool, read_only: str, busy: bool, queued: int, copies: bool = False
) -> ComposerWords:
    """The words for a state. ``demo``: a recording is shown that sending leaves; ``copies``: a session
    that sending goes on from in a copy."""
    if trouble:
        return ComposerWords(locked="The engine did not start; nothing can be sent.")
    if keyless:
        return ComposerWords(
            placeholder=KEYLESS, locked="No model yet: /key takes a key, /server a local server."
        )
    if demo:
        return ComposerWords(placeholder=DEMO, hint="esc starts a session")
    if read_only:
        reason = read_only.partition(": ")[2] if read_only.startswith(RECORDING) else read_only
        return ComposerWords(placeholder=reason, locked="" if copies else reason)
    parts = [f"queued: {queued}"] if queued else []
    parts += ["enter queues", "esc stops"] if busy else []
    return ComposerWords(placeholder=BUSY if busy else IDLE, hint=" · ".join(parts))
