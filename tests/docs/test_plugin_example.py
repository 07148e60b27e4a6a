"""The plugin of the guide, exactly as it is printed there, in the real product."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from docs.examples.test_word_count import test_words_are_counted_until_the_plugin_goes as test_the_test
from dsh_tui.engine.agent.agent import Agent
from dsh_tui.engine.agent.registry import AGENTS, CreateAgent
from dsh_tui.engine.plugin_folder.folder import PluginRecord
from dsh_tui.engine.product import Product, StartOptions
from tests.fakes.model_server import ModelServer, reply

DOCS = Path(__file__).resolve().parents[2] / "docs"
EXAMPLE = DOCS / "examples" / "word_count.py"
__all__ = ["test_the_test"]  # of the guide; collected here

SECTION = "measure it with `word_count`"


@dataclass
class Bench:
    """The product with a plugin folder, an agent in a small project, and the model it talks to."""

    product: Product
    model: ModelServer
    agent: Agent
    file: Path
    """The plugin, as the user saved it."""

    async def save(self, text: str | None = None) -> PluginRecord:
        """Save the plugin, the example by default; its record once the folder has been looked at."""
        self.file.write_text(EXAMPLE.read_text() if text is None else text)
        await self.product.plugins.sync()
        [record] = self.product.plugins.records()
        return record

    async def ask(self, *calls: tuple[str, object]) -> str:
        """One turn in which the model makes these calls; what it read as their results."""
        self.model.push(*([reply(tool_calls=calls)] if calls else []), "Done.")
        self.agent.send("Go on.")
        await self.agent.when_idle()
        assert self.model.requests[-1].refused is None
        messages = self.model.requests[-1].body["messages"]
        return "\n".join(message["content"] for message in messages if message["role"] == "tool")

    @property
    def offered(self) -> list[str]:
        return [tool["function"]["name"] for tool in self._last["tools"]]

    @property
    def system(self) -> str:
        first = self._last["messages"][0]
        assert first["role"] == "system"
        return str(first["content"])

    @property
    def _last(self) -> dict[str, Any]:  # Any: JSON of a request
        return dict(self.model.requests[-1].body)


@pytest.fixture
def settings() -> str:
    return ""


@pytest.fixture
async def bench(tmp_path: Path, settings: str) -> AsyncIterator[Bench]:
    home, project = tmp_path / "home", tmp_path / "project"
    (home / "plugins").mkdir(parents=True)
    project.mkdir()
    if settings:
        (home / "settings.yaml").write_text(settings)
    (project / "poem.txt").write_text("so much depends upon\na red wheel barrow\n")
    async with ModelServer() as model:
        environ = {"DSH_TUI_HOME": str(home), "DEEPSEEK_BASE_URL": model.url, "HOME": str(tmp_path)}
        product = await Product.start(StartOptions(cwd=project, environ=environ, invariants=True))
        agent = product.engine.root[AGENTS].create(CreateAgent(meta={"cwd": str(project)})).agent
        yield Bench(product, model, agent, home / "plugins" / "word_count.py")
        await product.dispose()


async def test_the_tool_is_offered_and_runs_without_being_asked_about(bench: Bench) -> None:
    record = await bench.save()
    assert (record.state, record.error) == ("active", "")
    result = await bench.ask(("word_count", {"file_path": "poem.txt"}))
    assert "word_count" in bench.offered
    assert result == "8 words, 0.0 minutes to read"
    assert "approval/asked" not in {event.type for event in bench.agent.session.events}


@pytest.mark.parametrize("settings", ["plugins:\n  word_count:\n    words_per_minute: 4\n"])
async def test_its_config_comes_from_the_settings(bench: Bench) -> None:
    await bench.save()
    assert await bench.ask(("word_count", {"file_path": "poem.txt"})) == "8 words, 2.0 minutes to read"


@pytest.mark.parametrize("settings", ["plugins:\n  word_count:\n    words_per_minute: none\n"])
async def test_a_config_that_it_refuses_is_told_and_hurts_nobody(bench: Bench) -> None:
    record = await bench.save()
    assert record.state == "failed"
    assert "words_per_minute" in record.error
    await bench.ask()
    assert "word_count" not in bench.offered


async def test_its_errors_reach_the_model_in_words(bench: Bench) -> None:
    await bench.save()
    result = await bench.ask(("word_count", {"file_path": "prose.txt"}))
    assert result == "prose.txt does not exist. Look for it with `glob`."


async def test_a_file_outside_the_workspace_is_asked_about(bench: Bench) -> None:
    await bench.save()
    result = await bench.ask(("word_count", {"file_path": "../home/plugins/word_count.py"}))
    assert "nobody is there to give it" in result


async def test_the_section_is_in_the_system_prompt(bench: Bench) -> None:
    await bench.save()
    await bench.ask()
    assert SECTION in bench.system


async def test_the_veto_refuses_and_the_model_is_told_why(bench: Bench) -> None:
    await bench.save()
    result = await bench.ask(("bash", {"command": "wc -w poem.txt", "description": "Count words"}))
    assert result == "Counting words in the shell is off here. Call `word_count` instead."
    assert "approval/asked" not in {event.type for event in bench.agent.session.events}


async def test_the_plugin_of_the_readme_is_one(bench: Bench) -> None:
    readme = (DOCS.parent / "README.md").read_text()
    [printed] = re.findall(r"```python\n(.*?)```", readme, re.DOTALL)
    assert (await bench.save(printed)).state == "active"
    await bench.ask()
    assert "The user sits in the sun." in bench.system


BREAKAGES = {
    "does not compile": ("inject = (", "inject = ((", "SyntaxError: '(' was never closed"),
    "raises": ("def read_text(", "1 / 0\n\n\ndef read_text(", "ZeroDivisionError: division by zero"),
    "fails to start": ('Section("word-count"', 'Section(""', "SystemPromptError: a section needs a name"),
}


@pytest.mark.parametrize("case", BREAKAGES)
async def test_a_broken_save_leaves_the_old_version_and_names_the_line(bench: Bench, case: str) -> None:
    good, bad, error = BREAKAGES[case]
    before, after = EXAMPLE.read_text().split(good)
    line = before.count("\n") + 1
    await bench.save()
    record = await bench.save(f"{before}{bad}{after}")
    assert record.state == "active"
    assert f"word_count.py:{line}: {error}" in record.error
    assert await bench.ask(("word_count", {"file_path": "poem.txt"})) == "8 words, 0.0 minutes to read"
    assert bench.offered.count("word_count") == 1
    assert SECTION in bench.system
    assert (await bench.save()).error == ""


async def test_a_removed_plugin_is_gone_from_the_next_request(bench: Bench) -> None:
    await bench.save()
    await bench.ask(("word_count", {"file_path": "poem.txt"}))
    assert "word_count" in bench.offered
    bench.file.unlink()
    await bench.product.plugins.sync()
    assert bench.product.plugins.records() == ()
    await bench.ask()
    assert "word_count" not in bench.offered
    assert SECTION not in bench.system


@pytest.mark.parametrize("printed", [EXAMPLE, EXAMPLE.with_name("test_word_count.py")])
def test_the_guide_prints_what_is_tested_here(printed: Path) -> None:
    guide = (DOCS / "plugin-guide.md").read_text()
    assert f"```python\n{printed.read_text()}```" in guide
