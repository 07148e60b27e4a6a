"""What the bundled recording is made of: a small project, and what the scripted model says about it.

Nothing here is run by the app; `record_demo` plays it through the real product once.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tests.fakes.model_script import Reply, reply

RATE = 24
"""Deltas a second: four characters each, about as fast as a person skims."""

FILES: Mapping[str, str] = {
    "pyproject.toml": """\
[project]
name = "payments-api"
version = "2.3.0"

[tool.pytest.ini_options]
pythonpath = ["src"]
""",
    "src/payments/__init__.py": "",
    "src/payments/retry.py": '''\
"""Retries a call to the payment provider, waiting longer each time."""

import random
import time


class Retry:
    """Exponential backoff with jitter."""

    def __init__(self, base: float = 0.2, sleep=time.sleep) -> None:
        self.base = base
        self.sleep = sleep

    def delay(self, attempt: int) -> float:
        """Seconds to wait before an attempt; never less than base * 2**attempt."""
        return self.base * 2**attempt * random.uniform(0.9, 1.1)

    def call(self, work, attempts: int = 4):
        for attempt in range(attempts):
            try:
                return work()
            except ConnectionError:
                if attempt == attempts - 1:
                    raise
                self.sleep(self.delay(attempt))
''',
    "src/payments/client.py": '''\
"""Talks to the payment provider."""

from payments.retry import Retry


class Client:
    def __init__(self, transport, retry: Retry | None = None) -> None:
        self.transport = transport
        self.retry = retry or Retry(base=0.2)

    def charge(self, amount: int, currency: str) -> str:
        return self.retry.call(lambda: self.transport.post("/charges", amount, currency))
''',
    "tests/test_retry.py": """\
import pytest

from payments.retry import Retry


def test_backoff_never_comes_out_short():
    retry = Retry(base=0.2)
    for attempt in range(4):
        assert retry.delay(attempt) >= 0.2 * 2**attempt


def test_the_last_failure_is_raised():
    def refuse():
        raise ConnectionError("refused")

    waits = []
    with pytest.raises(ConnectionError):
        Retry(base=0.2, sleep=waits.append).call(refuse, attempts=3)
    assert len(waits) == 2
""",
}

PROMPT = """\
Fix the flaky retry test

`test_backoff_never_comes_out_short` fails on CI every other run. Find the cause first; \
don't loosen the test."""

_PLAN = ("Find what the test depends on", "Fix the cause, not the test", "Prove it with repeated runs")


def _plan(done: int) -> tuple[str, dict[str, Any]]:  # Any: JSON
    states = ["completed"] * done + ["in_progress"] + ["pending"] * len(_PLAN)
    todos = [{"content": text, "status": state} for text, state in zip(_PLAN, states, strict=False)]
    return "todo_write", {"todos": todos}


def _usage(prompt: int, cached: int, completion: int) -> dict[str, int]:
    return {
        "prompt_tokens": prompt,
        "completion_tokens": completion,
        "total_tokens": prompt + completion,
        "prompt_cache_hit_tokens": cached,
        "prompt_cache_miss_tokens": prompt - cached,
    }


ANSWER = """\
The test was right and the code was wrong. `delay()` promises *never less than* `base * 2**attempt`, \
but its jitter went **both ways**, so about half of all waits came out short.

| | jitter | shortest wait for 0.2 s | short waits |
| --- | --- | ---: | ---: |
| before | 0.9 – 1.1 | 0.18 s | 1 in 2 |
| after | 1.0 – 1.2 | 0.20 s | none |

```python
return self.base * 2**attempt * random.uniform(1.0, 1.2)
```

What I did:

1. **Reproduced it**: the assertion failed at once, by up to 10 %.
2. **Fixed the cause** in `src/payments/retry.py`; the test is unchanged.
3. **Ran it five times**, green each time.

One consequence: waits are now 10 % longer on average. `Client` retries at most three times, so a charge \
that keeps failing takes about 0.14 s more.
"""

REPLIES: tuple[Reply, ...] = (
    reply(
        "I'll start with the test and with what it calls.",
        thinking="The user sees a failure every other run, so something random or timing-dependent is "
        "involved. The name says retry: I should look for clocks, sleeps and random numbers before I "
        "change anything.",
        tool_calls=[
            _plan(0),
            ("grep", {"pattern": r"random|time\.", "path": "src"}),
            ("read", {"file_path": "tests/test_retry.py"}),
        ],
        usage=_usage(4_310, 0, 168),
        rate=RATE,
    ),
    reply(
        "",
        thinking="`random.uniform` in the backoff is the first suspect.",
        tool_calls=[("read", {"file_path": "src/payments/retry.py"})],
        usage=_usage(4_905, 4_352, 61),
        rate=RATE,
    ),
    reply(
        "The jitter is the suspect: it can make a wait *shorter* than promised. Let me see it fail first.",
        tool_calls=[
            (
                "bash",
                {
                    "command": "pytest tests/test_retry.py -q",
                    "description": "Run the retry tests once",
                },
            )
        ],
        usage=_usage(5_408, 4_864, 88),
        rate=RATE,
    ),
    reply(
        "It fails as expected. The docstring is the contract here, so the jitter may only add.",
        thinking="uniform(0.9, 1.1) is below 1.0 half of the time. Two ways out: loosen the test, or keep "
        "the promise that the docstring makes. Callers rely on the promise, so the code has to change: "
        "uniform(1.0, 1.2) keeps the spread and never comes out short.",
        tool_calls=[
            _plan(1),
            (
                "edit",
                {
                    "file_path": "src/payments/retry.py",
                    "old_string": "        return self.base * 2**attempt * random.uniform(0.9, 1.1)\n",
                    "new_string": "        # Jitter only ever adds: a short wait is a retry storm.\n"
                    "        return self.base * 2**attempt * random.uniform(1.0, 1.2)\n",
                },
            ),
        ],
        usage=_usage(5_990, 5_376, 244),
        rate=RATE,
    ),
    reply(
        "One green run would prove little, so I'll run it five times.",
        tool_calls=[
            _plan(2),
            (
                "bash",
                {
                    "command": "for run in 1 2 3 4 5; do pytest tests/test_retry.py -q || exit 1; done",
                    "description": "Run the retry tests five times, stop at a failure",
                },
            ),
        ],
        usage=_usage(6_480, 5_888, 142),
        rate=RATE,
    ),
    reply("", tool_calls=[_plan(3)], usage=_usage(6_905, 6_400, 70), rate=RATE),
    reply(ANSWER, usage=_usage(7_060, 6_784, 301), rate=RATE),
)
