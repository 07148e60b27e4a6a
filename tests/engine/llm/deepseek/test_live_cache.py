"""Against the real service: a conversation that only grows is served more and more from its cache."""

from __future__ import annotations

import os
from itertools import pairwise
from pathlib import Path

import pytest

from dsh_tui.engine.agent.registry import AGENTS, CreateAgent
from dsh_tui.engine.product import Product, StartOptions

KEY = os.environ.get("DEEPSEEK_API_KEY")
FILLER = "Here is a list of words to keep in mind for later: " + " ".join(f"word{n}" for n in range(1_500))


@pytest.mark.live
@pytest.mark.skipif(not KEY, reason="needs DEEPSEEK_API_KEY")
async def test_cache_hits_grow_from_request_to_request(tmp_path: Path) -> None:
    environ = {"PATH": os.defpath, "DSH_TUI_HOME": str(tmp_path / "home"), "DEEPSEEK_API_KEY": KEY or ""}
    product = await Product.start(StartOptions(cwd=tmp_path, environ=environ, invariants=True, effort="off"))
    try:
        meta = {"cwd": str(tmp_path)}
        agent = (
            product.engine.root[AGENTS].create(CreateAgent(options=product.agent_options, meta=meta)).agent
        )
        for prompt in (
            FILLER,
            "How many words were these? One number.",
            "And the first? One word.",
            "The last?",
        ):
            agent.send(prompt)
            await agent.when_idle()
        usages = [e.data["usage"] for e in agent.session.events if e.type == "assistant/message"]
    finally:
        await product.dispose()
    hits = [usage.get("cacheReadTokens", 0) for usage in usages]
    assert len(hits) == 4
    assert all(earlier <= later for earlier, later in pairwise(hits[1:]))
    assert hits[-1] > 2_000
