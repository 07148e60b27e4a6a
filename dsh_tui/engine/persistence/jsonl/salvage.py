"""What can be saved from a log beyond its first bad line.

Every line is looked through for whole records, also where lines were glued together or NUL
bytes run between them. A record is shown once: repeats of a seq are left out.
Source: core spec §4.4; design §3.5.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from json import JSONDecodeError

from dsh_tui.engine.persistence.jsonl.format import decode_line, decode_row, parse_object
from dsh_tui.engine.persistence.stored import Notice
from dsh_tui.engine.session.event import Event
from dsh_tui.engine.session.pack import ChunkRun, Row

_RECORD = '{"type":"'
_MOST_NOTICES = 20


class Salvage:
    """The good records and the bad lines from line index ``first`` on."""

    def __init__(self, lines: Sequence[str], first: int, next_seq: int) -> None:
        self.events: list[Event] = []
        """Good records beyond the first bad line; their seqs rise but may jump."""
        self.finished_turn_beyond = False
        self._first_line = first + 1
        self._lines_beyond = len(lines) - first
        self._bad: list[Notice] = []
        self._next = next_seq
        for at in range(first, len(lines)):
            if lines[at].strip():
                self._take_line(lines[at], at + 1)

    def tail(self) -> Notice:
        """Says what is left out where no finished turn lies beyond."""
        beyond = self._lines_beyond
        what = "1 line" if beyond == 1 else f"{beyond} lines"
        good = len(self.events)
        among = f", {good} good record{'s' if good > 1 else ''} among them" if good else ""
        return Notice(
            f"the end of the log is damaged ({self._bad[0].text}); {what} from line {self._first_line} on "
            f"left out{among}",
            line=self._first_line,
        )

    def damage(self) -> list[Notice]:
        """One notice a bad line, the first twenty of them."""
        shown = self._bad[:_MOST_NOTICES]
        hidden = len(self._bad) - len(shown)
        if hidden:
            shown.append(Notice(f"{hidden} more damaged places follow"))
        return shown

    def _take_line(self, line: str, number: int) -> None:
        try:
            rows: list[Row] = [decode_line(line)]
        except ValueError as error:
            rows = list(_records_in(line))
            self._bad.append(Notice(f"line {number} is damaged: {_why(line, error)}", line=number))
        for row in rows:
            self._take_row(row, number)

    def _take_row(self, row: Row, number: int) -> None:
        stop = row.seq + (len(row) if isinstance(row, ChunkRun) else 1)
        if row.seq < self._next:
            self._bad.append(Notice(f"line {number} repeats record {row.seq}", line=number))
            if stop <= self._next:
                return
        if row.seq > self._next:
            missing = (
                f"record {self._next} is"
                if row.seq == self._next + 1
                else f"records {self._next}–{row.seq - 1} are"
            )
            self._bad.append(Notice(f"{missing} missing before line {number}", line=number))
        if isinstance(row, ChunkRun):
            self.events.extend(row.part(max(row.seq, self._next), stop).events())
        else:
            self.events.append(row)
            self.finished_turn_beyond |= row.type == "turn/end"
        self._next = stop


def _records_in(line: str) -> Iterator[Row]:
    at = line.find(_RECORD)
    while at >= 0:
        try:
            fields, end = parse_object(line, at)
            yield decode_row(fields)
        except ValueError:
            end = at + 1
        at = line.find(_RECORD, end)


def _why(line: str, error: ValueError) -> str:
    if "\0" in line:
        return "a block of NUL bytes"
    if not line.startswith("{"):
        return "not a record"
    broken = isinstance(error, JSONDecodeError) or isinstance(error.__cause__, StopIteration)
    return "cut off or overwritten" if broken else str(error)
