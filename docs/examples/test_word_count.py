"""How to test a plugin by itself: real services, and calls made as a model makes them."""

from __future__ import annotations

from pathlib import Path

from docs.examples import word_count
from tests.fakes.tool_bench import open_tool_bench, text


async def test_words_are_counted_until_the_plugin_goes(tmp_path: Path) -> None:
    (tmp_path / "poem.txt").write_text("so much depends upon", encoding="utf-8")
    async with open_tool_bench(cwd=str(tmp_path)) as bench:
        fiber = bench.root.plugin(word_count, {"words_per_minute": 4})
        await fiber
        await bench.run(("word_count", {"file_path": "poem.txt"}))
        assert text(bench.results()[-1]) == "4 words, 1.0 minutes to read"

        await fiber.dispose()
        await bench.run(("word_count", {"file_path": "poem.txt"}))
        assert bench.results()[-1]["error"]["code"] == "UNKNOWN_TOOL"
