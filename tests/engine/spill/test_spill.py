"""Oversized results: shortened for the model, whole in a private file, never lost."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, ConfigDict

from dsh_tui.engine.kernel import Context
from dsh_tui.engine.spill import plugin as spill_plugin
from dsh_tui.engine.spill.policy import shorten
from dsh_tui.engine.spill.store import SPILL, SpillStore
from dsh_tui.engine.tools.definition import ToolCall, ToolDefinition, ToolOutput
from dsh_tui.engine.tools.registry import TOOLS
from tests.fakes.tool_bench import ToolBench, open_tool_bench, text


class SayArgs(BaseModel):
    """What to answer with."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    count: int


def register(ctx: Context) -> None:
    async def say(args: SayArgs, _call: ToolCall) -> ToolOutput:
        return ToolOutput("".join(f"{number}\n" for number in range(args.count)))

    for name in ("say", "read"):
        definition: ToolDefinition[Any] = ToolDefinition(
            name=name, description="d", parameters=SayArgs, execute=say, kind="other"
        )
        ctx[TOOLS].register(ctx, definition)


@pytest.fixture
async def bench(tmp_path: Path) -> AsyncIterator[ToolBench]:
    store = spill_plugin.StoreConfig(root=tmp_path / "spill")
    async with open_tool_bench(
        (spill_plugin.store, store),
        (spill_plugin.policy, spill_plugin.PolicyConfig(cap=2000)),
        before=register,
    ) as opened:
        yield opened


async def test_a_result_within_the_cap_stays(bench: ToolBench, tmp_path: Path) -> None:
    await bench.run(("say", {"count": 100}))
    assert text(bench.results()[-1]).endswith("99\n")
    assert not (tmp_path / "spill").exists()


async def test_a_larger_one_keeps_both_ends_and_names_a_private_file(
    bench: ToolBench, tmp_path: Path
) -> None:
    await bench.run(("say", {"count": 5000}))
    shown = text(bench.results()[-1])
    assert len(shown.encode()) <= 2000
    assert shown.startswith("0\n1\n")
    assert shown.endswith("4998\n4999\n")
    (file,) = (tmp_path / "spill").rglob("*.txt")
    assert str(file) in shown
    assert file.read_text().splitlines() == [str(number) for number in range(5000)]
    assert file.stat().st_mode & 0o777 == 0o600
    assert {folder.stat().st_mode & 0o777 for folder in (file.parent, file.parent.parent)} == {0o700}


async def test_a_long_result_of_read_is_not_spilled(bench: ToolBench) -> None:
    await bench.run(("read", {"count": 5000}))
    assert len(text(bench.results()[-1])) > 20_000


async def test_where_no_file_can_be_made_the_result_stays_whole(tmp_path: Path) -> None:
    (tmp_path / "spill").write_text("in the way")
    async with open_tool_bench(
        (spill_plugin.store, spill_plugin.StoreConfig(root=tmp_path / "spill")),
        (spill_plugin.policy, spill_plugin.PolicyConfig(cap=2000)),
        before=register,
    ) as bench:
        await bench.run(("say", {"count": 5000}))
        assert text(bench.results()[-1]).endswith("4999\n")
        assert len(text(bench.results()[-1])) > 20_000


async def test_nothing_is_shortened_once_the_policy_is_gone(bench: ToolBench) -> None:
    fibers = {fiber.name: fiber for fiber in bench.root.fiber.children}
    await fibers["spill/policy"].dispose()
    await bench.run(("say", {"count": 5000}))
    assert len(text(bench.results()[-1])) > 20_000
    await fibers["spill/store"].dispose()
    assert bench.root.get(SPILL) is None


@given(st.text(min_size=300, max_size=2000), st.integers(200, 900))
def test_what_is_shown_never_exceeds_the_cap(content: str, cap: int) -> None:
    shown = shorten(content, cap, "/spill/file.txt")
    assert len(shown.encode("utf-8", "replace")) <= cap
    assert "/spill/file.txt" in shown


async def test_names_of_sessions_and_calls_cannot_leave_the_folder(tmp_path: Path) -> None:
    store = SpillStore(tmp_path / "spill")
    path = await store.save("../../up", "../x/y\n", "text caf\udce9 \ud800")
    assert path is not None
    assert path.resolve().is_relative_to(tmp_path / "spill")
