"""Whether a log is as it was written, told without decoding it: every row by its sum, and none missing.

Five times as quick as reading it, for whoever wants a few facts of many logs. It never says yes to a log
that a reader would mend or call damaged. Source: design §4 (sessions list).
"""

from __future__ import annotations

import re

from dsh_tui.engine.persistence.jsonl.format import decode_line
from dsh_tui.engine.persistence.jsonl.sums import is_summed
from dsh_tui.engine.session.pack import RUN, ChunkRun

_ENVELOPE = re.compile(rb'\{"type":"([^"\\]*)","seq":(\d{1,15}),')
_RUN = RUN.encode()


def is_sound(data: bytes) -> bool:
    """Whether all lines are there, each as it was summed; no for rows without sums."""
    lines = data.split(b"\n")
    if lines.pop() or not lines:
        return False  # the last line has no end
    if not is_summed(lines[0]) and b'"sum' in lines[0]:
        return False
    expected = 0
    for line in lines[1:]:
        envelope = _ENVELOPE.match(line)
        if envelope is None or int(envelope[2]) != expected or not is_summed(line):
            return False
        events = _length_of_run(line) if envelope[1] == _RUN else 1
        if not events:
            return False
        expected += events
    return True


def _length_of_run(line: bytes) -> int:
    """How many events are packed in the row; 0 where it can't be read."""
    try:
        row = decode_line(line.decode())
    except ValueError:
        return 0
    return len(row) if isinstance(row, ChunkRun) else 0
