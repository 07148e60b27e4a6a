"""Plugins of a project never run before a person has agreed to just these (every way of starting)."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from dsh_tui import cli
from dsh_tui.bridge.bridge import Bridge
from dsh_tui.engine.base.frozen import JsonObject
from dsh_tui.engine.product import Product, StartOptions
from dsh_tui.engine.projection.trust_views import TrustAnswer
from tests.fakes.model_server import ModelServer
from tests.fakes.until import until

PLUGIN = "from pathlib import Path\nimport os\nPath(os.environ['MARK']).write_text('ran')\n"


class Place:
    """A home, a project with a plugin that leaves a mark, and the ways to start there."""

    def __init__(self, root: Path, server: ModelServer) -> None:
        self.home, self.project, self.mark = root / "home", root / "project", root / "mark"
        self.server = server
        self.product: Product | None = None
        self.told: list[str] = []
        self.plugin = self.project / ".dsh/plugins/evil.py"
        self.plugin.parent.mkdir(parents=True)
        self.plugin.write_text(PLUGIN)

    @property
    def ran(self) -> bool:
        return self.mark.exists()

    @asynccontextmanager
    async def started(self, directory: Path | None = None) -> AsyncIterator[Bridge]:
        """The app's bridge in a directory, with a new session."""
        environ = {
            "DSH_TUI_HOME": str(self.home),
            "DSH_HOME": str(self.home / "none"),
            "DEEPSEEK_BASE_URL": self.server.url,
            "DEEPSEEK_API_KEY": "sk-test-0123456789abcdef",
        }
        options = StartOptions(cwd=directory or self.project, environ=environ, invariants=True)
        self.product = await Product.start(options)
        bridge = Bridge(self.product, post=lambda _view: None, notify=self._tell)
        try:
            await bridge.new_session()
            yield bridge
        finally:
            await bridge.close()

    def _tell(self, text: str, _tone: str) -> None:
        self.told.append(text)

    async def answer(self, bridge: Bridge, answer: TrustAnswer) -> None:
        question = await bridge.trust.question()
        await bridge.trust.answer(question.id, answer)

    async def ask(self, bridge: Bridge, prompt: str) -> JsonObject:
        """One turn; what the model got."""
        self.server.push("Fine.")
        turns = bridge.view.status.turns
        bridge.send(prompt)
        await until(lambda: bridge.view.status.turns > turns and bridge.view.status.state == "idle")
        return dict(self.server.requests[-1].body)


@pytest.fixture
async def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Place]:
    async with ModelServer() as server:
        made = Place(tmp_path, server)
        monkeypatch.setenv("MARK", str(made.mark))
        yield made


async def test_starting_and_quitting_runs_nothing_and_asks(place: Place) -> None:
    async with place.started() as bridge:
        await until(lambda: bridge.view.asks_trust and bridge.view.untrusted == 1)
    assert not place.ran


async def test_after_a_no_the_app_is_usable_and_nothing_ran(place: Place) -> None:
    async with place.started() as bridge:
        await until(lambda: bridge.view.asks_trust)
        await place.answer(bridge, "later")
        await place.ask(bridge, "hello")
        assert not bridge.view.asks_trust
        assert bridge.view.untrusted == 1
        assert any("/trust" in text for text in place.told)
    assert not place.ran
    async with place.started() as bridge:
        await until(lambda: bridge.view.asks_trust)


async def test_after_a_yes_it_runs_at_once_and_at_the_next_start_without_a_question(place: Place) -> None:
    async with place.started() as bridge:
        await until(lambda: bridge.view.asks_trust)
        await place.answer(bridge, "trust")
        assert place.ran
    place.mark.unlink()
    async with place.started() as bridge:
        assert place.ran
        await place.ask(bridge, "hello")
        assert not bridge.view.asks_trust
        assert bridge.view.untrusted == 0


async def test_what_was_declined_for_good_is_asked_about_only_after_a_change(place: Place) -> None:
    async with place.started() as bridge:
        await place.answer(bridge, "never")
    async with place.started() as bridge:
        await place.ask(bridge, "hello")
        assert not bridge.view.asks_trust
        assert bridge.view.untrusted == 0
    place.plugin.write_text(f"{PLUGIN}# more\n")
    async with place.started() as bridge:
        await until(lambda: bridge.view.asks_trust)
    assert not place.ran


async def test_a_session_of_the_project_that_is_resumed_from_elsewhere_asks_and_runs_nothing(
    place: Place, tmp_path: Path
) -> None:
    async with place.started() as bridge:
        await place.ask(bridge, "hello")
        session_id = bridge.view.session_id
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    async with place.started(elsewhere) as bridge:
        await place.ask(bridge, "hello")
        assert bridge.view.untrusted == 0
        await bridge.open_session(session_id)
        await until(lambda: bridge.view.asks_trust)
        await place.ask(bridge, "again")
        assert not place.ran
        await place.answer(bridge, "trust")
        assert place.ran


@pytest.mark.parametrize("below", ["sub", "."])
async def test_trust_of_home_or_of_a_parent_says_nothing_of_a_directory_below(
    place: Place, tmp_path: Path, below: str
) -> None:
    (tmp_path / ".dsh/plugins").mkdir(parents=True)
    (tmp_path / ".dsh/plugins/home.py").write_text("def apply(ctx, config): ...\n")
    async with place.started(tmp_path) as bridge:
        await place.answer(bridge, "trust")
    directory = place.project / below
    directory.mkdir(exist_ok=True)
    async with place.started(directory) as bridge:
        await place.ask(bridge, "hello")
        assert bridge.view.untrusted == (1 if below == "." else 0)
    assert not place.ran


async def test_a_name_with_line_ends_and_brackets_reaches_the_question_whole(place: Place) -> None:
    place.plugin.rename(place.plugin.with_name("a\n[b].py"))
    async with place.started() as bridge:
        question = await bridge.trust.question()
    assert question.never == ((".dsh/plugins/a\n[b].py", "its name is no plugin's"),)


async def test_an_edit_of_the_instructions_is_told_quietly_and_not_given_to_the_model(place: Place) -> None:
    place.plugin.unlink()
    rules = place.project / "AGENTS.md"
    rules.write_text("be kind")
    async with place.started() as bridge:
        assert "be kind" not in str(await place.ask(bridge, "one"))
        await place.answer(bridge, "trust")
        assert "be kind" in str(await place.ask(bridge, "two"))
        rules.write_text("be evil")
        assert place.product is not None
        await place.product.projects.look()  # what happens once a second
        await until(lambda: bridge.view.untrusted == 1)
        assert place.told[-1] == "AGENTS.md: no effect until trusted · /trust"
        assert "be evil" not in str(await place.ask(bridge, "three"))
        assert not bridge.view.asks_trust


async def test_instructions_that_can_never_be_given_are_told_once_and_not_given(place: Place) -> None:
    place.plugin.unlink()
    (place.project / "AGENTS.md").symlink_to("/etc/hostname")
    async with place.started() as bridge:
        await place.ask(bridge, "hello")
        why = "leads out of the project, to /etc/hostname"
        assert place.told == [f"AGENTS.md: {why}; it has no effect · /trust"]
        assert not bridge.view.asks_trust


async def test_a_store_that_breaks_meanwhile_unloads_what_it_trusted_and_says_so(place: Place) -> None:
    async with place.started() as bridge:
        await place.answer(bridge, "trust")
        await until(lambda: bridge.view.untrusted == 0)
        (place.home / "trust.json").write_text("{")
        assert place.product is not None
        await place.product.projects.look()
        await until(lambda: bridge.view.untrusted == 1)
        assert "trust.json: is damaged; no project is trusted" in place.told[-1]
        assert place.product.projects.records() == ()


@pytest.mark.parametrize("arguments", [["--help"], ["--version"], ["sessions", "list"], ["doctor"]])
def test_commands_that_need_no_engine_load_nothing(
    arguments: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / ".dsh/plugins").mkdir(parents=True)
    (tmp_path / ".dsh/plugins/evil.py").write_text(PLUGIN)
    for name, value in (("MARK", "mark"), ("DSH_TUI_HOME", "home"), ("DSH_HOME", "none")):
        monkeypatch.setenv(name, str(tmp_path / value))
    monkeypatch.chdir(tmp_path)
    with contextlib.suppress(SystemExit):
        cli.main(arguments)
    assert not (tmp_path / "mark").exists()
    capsys.readouterr()
