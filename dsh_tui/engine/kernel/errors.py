"""Errors of the kernel.

KernelError                  a plugin or a caller broke a rule of the tree; ``code`` says which
└── ConfigError              a plugin's config did not validate; nothing was started or changed

Codes: ``INACTIVE_EFFECT`` ``DUPLICATE_SERVICE`` ``UNDECLARED_SERVICE`` ``SERVICE_UNAVAILABLE``
``INVALID_PLUGIN`` ``INVALID_CONFIG`` ``INVALID_EFFECT`` ``NEXT_CALLED_TWICE`` ``WAIT_CYCLE``.
"""

from __future__ import annotations

from dsh_tui.engine.base.errors import HarnessError


class KernelError(HarnessError):
    """A rule of the plugin tree was broken; the message says what to do."""

    code = "KERNEL"


class ConfigError(KernelError):
    """A plugin refused its config. The cause is what its ``Config`` raised."""

    code = "INVALID_CONFIG"
