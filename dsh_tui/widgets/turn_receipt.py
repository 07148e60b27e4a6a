"""A turn's receipt, opened under its closing line, and as text to paste elsewhere. View to rows, pure.

Source: ux spec §3.13 (turn receipt); screens spec (aligned, honest).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from rich.style import Style

from dsh_tui.engine.projection.views import TurnEndView
from dsh_tui.widgets.layout import DURATION, OUTPUT_EDGE, WIDE_ENOUGH, duration, ruled, tokens, with_meta
from dsh_tui.widgets.palette import Palette
from dsh_tui.widgets.row import Row
from dsh_tui.widgets.visible_text import one_line

LABEL: Final = 10
MOST: Final = 20
"""Lines of each kind that are drawn; copying gives all."""

Line = tuple[str, tuple[str, Style]]
"""What, and a word about it."""


def receipt_rows(view: TurnEndView, width: int, palette: Palette) -> list[Row]:
    """One line for each file, command and question; then what it took."""
    receipt = view.receipt
    groups: list[tuple[str, list[Line]]] = [
        ("Files", [(file.path, (_change(file.added, file.removed), palette.dim)) for file in receipt.files]),
        (
            "Commands",
            [
                (
                    run.command,
                    (_ran(run.result, run.duration_ms, width), palette.dim if run.ok else palette.error),
                )
                for run in receipt.commands
            ],
        ),
        (
            "Asked",
            [
                (one.call, (one.outcome, palette.dim if one.outcome == "allowed" else palette.warning))
                for one in receipt.decisions
            ],
        ),
        ("Tokens", [(_tokens(view), ("", palette.dim))]),
        ("Cost", [(_cost(view), ("", palette.dim))] if _priced(view) else []),
        ("Time", [(_time(view), ("y copies this", palette.faint))]),
    ]
    rows: list[Row] = []
    for label, lines in groups:
        rows += _group(label, lines, width - OUTPUT_EDGE - 2, palette)
    return ruled(rows, palette)


def receipt_text(view: TurnEndView) -> str:
    """Markdown that says all of it."""
    return "\n".join(_text(view)) + "\n"


def _group(label: str, lines: list[Line], width: int, palette: Palette) -> list[Row]:
    rows = []
    for text, meta in lines[:MOST]:
        left = [(label.ljust(LABEL), palette.dim), (one_line(text), palette.text)]
        rows.append(with_meta(left, [meta] if meta[0] else [], width, 0))
        label = ""
    if len(lines) > MOST:
        more = f"and {len(lines) - MOST} more"
        rows.append(with_meta([(" " * LABEL, palette.dim), (more, palette.faint)], [], width, 0))
    return rows


def _change(added: int, removed: int) -> str:
    return f"+{added} −{removed}"


def _ran(result: str, took: int, width: int) -> str:
    return f"{one_line(result)}{duration(took).rjust(DURATION)}" if width >= WIDE_ENOUGH else one_line(result)


def _tokens(view: TurnEndView) -> str:
    if not (view.tokens_in or view.tokens_out):
        return "not counted by the provider"
    cached = "" if view.cache_percent is None else f", {view.cache_percent} % from the cache"
    return f"{tokens(view.tokens_in)} in{cached} · {tokens(view.tokens_out)} out"


def _priced(view: TurnEndView) -> bool:
    """Whether something was counted that has a price, or should have one."""
    return bool(view.cost.amounts or view.cost.unpriced)


def _cost(view: TurnEndView) -> str:
    """The sum, and what is not in it."""
    missing = ", ".join(one_line(model) for model in view.cost.unpriced)
    if not view.cost.words:
        return f"no price is known for {missing}"
    return f"{view.cost.words}, without {missing}" if missing else view.cost.words


def _time(view: TurnEndView) -> str:
    calls = view.receipt.calls
    return f"{duration(view.duration_ms)} · {calls} tool call{'' if calls == 1 else 's'}"


def _text(view: TurnEndView) -> Iterator[str]:
    receipt = view.receipt
    cost = f"; cost: {_cost(view)}" if _priced(view) else ""
    yield f"Turn {view.turn}: {view.reason}, {_time(view)}; tokens: {_tokens(view)}{cost}"
    if receipt.files:
        yield "\nFiles changed"
        for file in receipt.files:
            yield f"- {file.path} {_change(file.added, file.removed)}{' (new)' if file.created else ''}"
    if receipt.commands:
        yield "\nCommands run"
        for run in receipt.commands:
            yield f"- {' ⏎ '.join(run.command.splitlines())}: {run.result}, {duration(run.duration_ms)}"
    if receipt.decisions:
        yield "\nAsked"
        for one in receipt.decisions:
            yield f"- {one.call}: {one.outcome}{f', “{one.feedback}”' if one.feedback else ''}"
