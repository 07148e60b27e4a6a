"""``make bench``: drives the product from outside, beside its floor, and prints one table.

Every scene is run by both programs in turn, the order turned round each time, so that a machine
that gets busy disturbs both alike. All runs are kept in ``bench.jsonl``; the table shows medians.

    python -m tests.bench.run [--quick] [--only NAME]… [--repeats N]
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from tests.bench.bars import BARS
from tests.bench.browser import browser
from tests.bench.figures import Sample, table
from tests.bench.growth import growth
from tests.bench.log_work import batch, fold
from tests.bench.long_session import long_session
from tests.bench.model import model_server
from tests.bench.one_shot import one_shot, tool_step
from tests.bench.program import Program, floor, ours
from tests.bench.rebuilding import rebuilding
from tests.bench.recording import recording
from tests.bench.rendering import fenced_block
from tests.bench.reply import reply
from tests.bench.scene import QUICK, Effort, Scene, Take
from tests.bench.scrubbing import scrubbing
from tests.bench.startup import startup
from tests.bench.streaming import streaming

BESIDE_THE_FLOOR: dict[str, Scene] = {
    "startup": startup,
    "streaming": streaming,
    "reply": reply,
    "growth": growth,
}
ALONE: dict[str, Scene] = {
    "exec": one_shot,
    "tool-step": tool_step,
    "long-session": long_session,
    "scrubbing": scrubbing,
    "fold": fold,
    "batch": batch,
    "rebuilding": rebuilding,
    "recording": recording,
    "fenced-block": fenced_block,
    "browser": browser,
}
ONCE = ("growth", "long-session", "scrubbing", "browser")
"""Scenes that average over so much that one run will do."""


def main() -> int:
    """Measure, print, keep; 1 if a bar is missed or a scene failed."""
    options = _parser().parse_args()
    effort = QUICK if options.quick else Effort()
    if options.repeats:
        effort = replace(effort, repeats=options.repeats)
    chosen = options.only or [*BESIDE_THE_FLOOR, *ALONE]
    samples: dict[str, list[Sample]] = {"ours": [], "floor": []}
    failed = False
    with tempfile.TemporaryDirectory() as temp, model_server() as port, options.output.open("a") as kept:
        programs = ours(Path(temp), port), floor(Path(temp), port)
        for number in range(effort.repeats):
            for name in chosen:
                if number and name in ONCE:
                    continue
                for program in _order(name, programs, number):
                    folder = Path(tempfile.mkdtemp(dir=temp))
                    take = Take(program=program, effort=effort, number=number, folder=folder)
                    sample, error = _measured(name, take)
                    failed = failed or bool(error)
                    samples[program.name].append(sample)
                    row = {"scene": name, "program": program.name, "repeat": number, **sample}
                    row |= {"load": os.getloadavg()[0]} | ({"error": error} if error else {})
                    kept.write(json.dumps(row) + "\n")
                    kept.flush()
                    _tell(name, program, sample, error)
    print(table(BARS, samples["ours"], samples["floor"]))
    return int(failed)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="bench", description="measure the product beside its floor")
    parser.add_argument("--quick", action="store_true", help="one repeat, fewer keys and turns")
    parser.add_argument("--only", action="append", choices=[*BESIDE_THE_FLOOR, *ALONE], help="one scene")
    parser.add_argument("--repeats", type=int, help="runs of each scene")
    parser.add_argument("--output", type=Path, default=Path("bench.jsonl"), help="where all runs are kept")
    return parser


def _order(name: str, programs: tuple[Program, Program], number: int) -> Sequence[Program]:
    if name in ALONE:
        return programs[:1]
    return programs if number % 2 == 0 else programs[::-1]


def _measured(name: str, take: Take) -> tuple[Sample, str]:
    scene = (BESIDE_THE_FLOOR | ALONE)[name]
    try:
        return scene(take), ""
    except RuntimeError as error:  # the scene did not come to its end; the others still count
        return {}, str(error)


def _tell(name: str, program: Program, sample: Sample, error: str) -> None:
    figures = "  ".join(f"{figure} {value:.2f}" for figure, value in sample.items())
    print(f"{name:12} {program.name:6} {error or figures}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
