"""Key echo: from a key pressed to the same key on the screen, in milliseconds."""

from __future__ import annotations

import random
import time

from tests.bench.terminal import Terminal

LETTERS = "abcdefgmnprstuwxyz"
TAIL = 12
"""So many letters in a row are found nowhere else on the screen."""


def idle_echo(terminal: Terminal, keys: int, seed: int) -> list[float]:
    """One key at a time, each awaited; the draft is left empty."""
    chance = random.Random(seed)
    typed, waits = "", list[float]()
    for _ in range(keys):
        key = chance.choice(LETTERS)
        typed += key
        pressed = time.perf_counter()
        terminal.write(key)
        tail = typed[-TAIL:]
        seen = terminal.visible(lambda text, tail=tail: tail in text, 3)  # type: ignore[misc]  # the default binds it
        waits.append(3_000.0 if seen is None else 1_000 * max(0.0, seen - pressed))
        time.sleep(chance.uniform(0.03, 0.06))
    erase(terminal, typed)
    return waits


def busy_echo(terminal: Terminal, keys: int, seed: int, gap: float = 0.12) -> list[float]:
    """Keys at a typist's pace while the program works; looked at afterwards, so as not to disturb."""
    chance = random.Random(seed)
    typed, pressed = "", list[tuple[float, str]]()
    for _ in range(keys):
        typed += chance.choice(LETTERS)
        pressed.append((time.perf_counter(), typed[-TAIL:]))
        terminal.write(typed[-1])
        time.sleep(max(0.0, gap + chance.uniform(-0.04, 0.04)))
    time.sleep(0.5)
    waits: list[float] = []

    def see(stamp: float, text: str) -> bool:
        for last in range(len(pressed) - 1, len(waits) - 1, -1):
            if pressed[last][1] in text and stamp >= pressed[last][0]:
                waits.extend(1_000 * (stamp - pressed[at][0]) for at in range(len(waits), last + 1))
                break
        return len(waits) == len(pressed)

    terminal.replay(see)
    waits += [3_000.0] * (len(pressed) - len(waits))
    erase(terminal, typed)
    return waits


def erase(terminal: Terminal, typed: str) -> None:
    """Take the draft back, key by key."""
    terminal.write("\x7f" * len(typed))
    time.sleep(0.3)


def write_prompt(terminal: Terminal, prompt: str) -> None:
    """Type as people do: Enter that comes in a burst of keys would be taken for a paste."""
    for key in prompt:
        terminal.write(key)
        time.sleep(0.003)
    terminal.visible(lambda text: prompt[-TAIL:] in text, 5)
    time.sleep(0.1)


def submit(terminal: Terminal, prompt: str) -> float:
    """Type a prompt and send it; when Enter was pressed."""
    write_prompt(terminal, prompt)
    pressed = time.perf_counter()
    terminal.write("\r")
    return pressed
