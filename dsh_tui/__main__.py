"""``python -m dsh_tui`` is ``dsh-tui``."""

from __future__ import annotations

import sys

from dsh_tui.cli import main

sys.exit(main())
