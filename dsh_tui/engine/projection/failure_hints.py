"""What a person can do about a failed request, by its code: one sentence that names the key or command.

Codes are those of the adapters and the loop; one that nobody knows gets the safe advice.
Source: capabilities A3 (codes); ux spec §1c (errors name the next key).
"""

from __future__ import annotations

import re
from typing import Final

_NEW_KEY: Final = "/key takes another key; then send again."
_ADDRESS: Final = "Check the network, or the address with /server; then send again. Nothing is lost."
_LATER: Final = "Send again in a while, or take another model with /model. Nothing is lost."
_NOT_CHAT: Final = "Is that a chat server? /server takes another address, /model another model."
_OTHER_MODEL: Final = "/model takes another one; then send again."
_AGAIN: Final = "Send again to retry; what came so far is kept."

_HINTS: Final = {
    "AUTH": _NEW_KEY,
    "MISSING_CREDENTIAL": "/key takes a key, /server a local server; then send again.",
    "INVALID_CREDENTIAL": _NEW_KEY,
    "QUOTA": "Then send again; or take another key with /key.",
    "CONTEXT_WINDOW_EXCEEDED": "The context is full: /compact summarises the early history; then send again. "
    "/new starts with an empty one.",
    "RATE_LIMIT": "Wait a minute, then send again. Nothing is lost.",
    "SERVER": _LATER,
    "INSUFFICIENT_SYSTEM_RESOURCE": _LATER,
    "TRANSPORT": _ADDRESS,
    "TIMEOUT": _ADDRESS,
    "INVALID_BASE_URL": "/server takes another address.",
    "STREAM_CLOSED": _AGAIN,
    "EMPTY_RESPONSE": _AGAIN,
    "MALFORMED_RESPONSE": _NOT_CHAT,
    "HTTP_404": _NOT_CHAT,
    "INVALID_REQUEST": "If sending again fails too, /new starts a session without this history.",
    "CONTENT_FILTER": "Say it in other words, or take another model with /model.",
    "UNKNOWN_PROVIDER": _OTHER_MODEL,
    "MODEL_NOT_CHOSEN": "/model takes one; then send again.",
    "WRITE_FAILED": "Make room on the disk, then send again.",
}
_ANY: Final = "Send again to retry; if it stays, /new starts afresh."
_NO_SUCH_MODEL: Final = re.compile(
    r"\bmodel\b.{0,80}\b(not exist|not found|unknown|unsupported|invalid)", re.I
)


def hint_for(code: str, message: str) -> str:
    """What to do next."""
    if code in ("INVALID_REQUEST", "HTTP_404") and _NO_SUCH_MODEL.search(message):
        return _OTHER_MODEL
    return _HINTS.get(code, _ANY)
