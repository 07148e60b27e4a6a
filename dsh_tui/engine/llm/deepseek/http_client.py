"""The HTTP client, made once and as late as can be: httpx costs as much to import as the loop.

It would also import its own command line, with click and rich: blocked, the import takes 40 ms
instead of 85. A client reads all certificates when it is made (40 ms more), which a base URL
without TLS does not need. Source: design §6 (`exec`).
"""

from __future__ import annotations

import ssl
import sys
from typing import TYPE_CHECKING, Final

from dsh_tui import __version__

if TYPE_CHECKING:
    import httpx

CONNECT_S: Final = 30.0
KEEP_ALIVE_S: Final = 120.0
_COMMAND_LINE: Final = "httpx._main"


def new_client(base_url: str) -> httpx.AsyncClient:
    """A client that keeps connections and follows no redirects. Slow the first time: call it in a thread."""
    if "httpx" not in sys.modules:
        sys.modules[_COMMAND_LINE] = None  # type: ignore[assignment]  # how Python is told that it can't be imported
    import httpx

    # Without TLS nothing is verified; what asks for it all the same trusts nobody, and fails.
    verify = True if base_url.lower().startswith("https:") else ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    return httpx.AsyncClient(
        headers={"user-agent": f"dsh-tui/{__version__}", "accept-encoding": "identity"},
        timeout=httpx.Timeout(None, connect=CONNECT_S),
        limits=httpx.Limits(keepalive_expiry=KEEP_ALIVE_S),
        follow_redirects=False,
        verify=verify,
    )
