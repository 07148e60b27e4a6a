"""Figures: what was measured, how it is summed up over repeats, and the table of all."""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

Sample = Mapping[str, float]
"""What one run of one scene measured, by name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Bar:
    """One row of the table: a figure, its limit, and what the limit is taken against."""

    work: str
    figure: str
    unit: str
    limit: float
    against: Literal["itself", "floor"] = "itself"
    """``floor``: the limit is a multiple of the floor's figure."""


def percentile(values: Iterable[float], share: float) -> float:
    """The value below which ``share`` of them lie."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, round(share * (len(ordered) - 1)))]


def middle(samples: Iterable[Sample], figure: str) -> float | None:
    """The median over repeats, or None if it was not measured."""
    values = [sample[figure] for sample in samples if figure in sample]
    return statistics.median(values) if values else None


def table(bars: Sequence[Bar], ours: Sequence[Sample], reference: Sequence[Sample]) -> str:
    """All rows that were measured, as Markdown."""
    lines = ["| work | ours | reference | bar | met? |", "|--|--|--|--|--|"]
    for bar in bars:
        here, there = middle(ours, bar.figure), middle(reference, bar.figure)
        if here is None:
            continue
        against = f"{_number(there)} {bar.unit}" if there is not None else ""
        if bar.against == "itself":
            limit, shown = bar.limit, f"≤ {_number(bar.limit)} {bar.unit}"
        elif there is None:
            continue
        else:
            limit, shown = bar.limit * there, f"≤ {bar.limit:g} × reference"
        met = "yes" if here <= limit else "NO"
        lines.append(f"| {bar.work} | {_number(here)} {bar.unit} | {against} | {shown} | {met} |")
    return "\n".join(lines)


def _number(value: float) -> str:
    return f"{value:.0f}" if abs(value) >= 100 else f"{value:.1f}" if abs(value) >= 10 else f"{value:.2f}"
