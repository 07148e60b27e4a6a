"""The garbage collector over the life of a process; each in a process of its own."""

from __future__ import annotations

import subprocess
import sys


def printed_by(program: str) -> list[str]:
    begin = "import atexit, gc\nfrom dsh_tui.engine.base import collector\n"
    ran = subprocess.run((sys.executable, "-c", begin + program), capture_output=True, text=True, check=True)
    return ran.stdout.split()


def test_it_waits_until_it_is_released_and_leaves_alone_what_was_there() -> None:
    look = "print(gc.isenabled(), gc.get_freeze_count() > 1000)"
    assert printed_by(f"collector.hold()\n{look}\ncollector.release()\n{look}") == [
        "False",
        "False",
        "True",
        "True",
    ]


def test_at_the_end_it_has_nothing_to_look_through() -> None:
    program = (
        "atexit.register(lambda: print(gc.get_freeze_count() > 1000, len(gc.get_objects())))\n"  # runs last
        "collector.hold()"
    )
    frozen, left = printed_by(program)
    assert frozen == "True"
    assert int(left) < 1000
