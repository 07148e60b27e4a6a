"""Faults of the trust store."""

from __future__ import annotations

from dsh_tui.engine.base.errors import HarnessError


class TrustError(HarnessError):
    """Trust can't be kept. One line: what, where, and what to do."""

    code = "TRUST_STORE"
