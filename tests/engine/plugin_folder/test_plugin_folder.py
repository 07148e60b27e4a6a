"""The plugin folder: saves are live, faults are told, nothing is registered twice."""

from __future__ import annotations

import asyncio
import base64
import os
import shutil
import textwrap
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest

from dsh_tui.engine.kernel import Context, create_root
from dsh_tui.engine.plugin_folder import plugin
from dsh_tui.engine.plugin_folder.folder import PLUGINS, PLUGINS_CHANGED, PluginFolder
from dsh_tui.engine.plugin_folder.source import find_plugins
from tests.fakes.odd_files import ODD_FILES

Registered = list[object]


def source(word: object) -> str:
    return textwrap.dedent(f"""
        def apply(ctx, config):
            config.append({word!r})
            ctx.effect(lambda: lambda: config.remove({word!r}))
    """)


@pytest.fixture
async def root() -> AsyncIterator[Context]:
    root = create_root()
    yield root
    await root.fiber.dispose()


@pytest.fixture
def registered() -> Registered:
    return []


@pytest.fixture
def folder(root: Context, tmp_path: Path, registered: Registered) -> PluginFolder:
    (tmp_path / "plugins").mkdir()
    names = ("p", "q", "good", "bad")
    return PluginFolder(root, tmp_path / "plugins", dict.fromkeys(names, registered), limit_s=5)


def _remove(path: Path) -> None:
    path.rmdir() if path.is_dir() else path.unlink()
    Path(f"{path}.pipe").unlink(missing_ok=True)


async def test_a_plugin_is_mounted_reloaded_and_removed(folder: PluginFolder, registered: Registered) -> None:
    path = folder.folder / "p.py"
    path.write_text(source(1))
    await folder.sync()
    assert registered == [1]
    path.write_text(source(2))
    await folder.sync()
    assert registered == [2]
    path.unlink()
    await folder.sync()
    assert registered == []
    assert folder.records() == ()


BROKEN = {
    "syntax": ("def broken(:\n    pass\n", "bad.py:1: SyntaxError"),
    "raises": ("raise RuntimeError('boom [/bold]')\n", "bad.py:1: RuntimeError: boom [/bold]"),
    "exits": ("import sys\nsys.exit(3)\n", "bad.py:2: SystemExit: 3"),
    "interrupts": ("raise KeyboardInterrupt\n", "bad.py:1: KeyboardInterrupt"),
    "no entry": ("x = 1\n", "has no function `apply(ctx, config)`"),
    "empty": ("", "has no function `apply(ctx, config)`"),
    "apply raises": ("def apply(ctx, config):\n    raise ValueError('no')\n", "bad.py:2: ValueError: no"),
    "bad inject": ("inject = 'x'\ndef apply(ctx, config): ...\n", "inject"),
}


@pytest.mark.parametrize("case", BROKEN)
async def test_a_broken_plugin_says_where_and_hurts_nobody(
    folder: PluginFolder, registered: Registered, case: str
) -> None:
    text, says = BROKEN[case]
    (folder.folder / "good.py").write_text(source("good"))
    (folder.folder / "bad.py").write_text(text)
    await folder.sync()
    bad = {record.name: record for record in folder.records()}["bad"]
    assert bad.state == "failed"
    assert says in bad.error
    assert "\n" not in bad.error
    assert registered == ["good"]


@pytest.mark.parametrize("content", ["IyBjYWbpCng9MQo=", "eD0xAAo="], ids=["latin-1", "nul"])
async def test_a_file_that_is_no_python_text_is_one_line(folder: PluginFolder, content: str) -> None:
    (folder.folder / "bad.py").write_bytes(base64.b64decode(content))
    await folder.sync()
    (record,) = folder.records()
    assert record.state == "failed"
    assert "bad.py" in record.error


@pytest.mark.parametrize("case", BROKEN)
async def test_while_a_save_is_broken_the_version_before_it_runs(
    folder: PluginFolder, registered: Registered, case: str
) -> None:
    path = folder.folder / "bad.py"
    path.write_text(source("old"))
    await folder.sync()
    path.write_text(BROKEN[case][0])
    await folder.sync()
    (record,) = folder.records()
    assert record.state == "active"
    assert BROKEN[case][1] in record.error
    assert registered == ["old"]
    path.write_text(source("new"))
    await folder.sync()
    assert registered == ["new"]
    assert folder.records()[0].error == ""


async def test_a_slow_import_ends_at_its_limit_and_holds_up_nobody(
    root: Context, tmp_path: Path, registered: Registered
) -> None:
    folder = PluginFolder(root, tmp_path, {"good": registered}, limit_s=0.3)
    (tmp_path / "bad.py").write_text("import threading\nthreading.Event().wait(2)\ndef apply(ctx, c): ...\n")
    (tmp_path / "good.py").write_text(source("good"))
    states: list[tuple[str, str]] = []
    root.on(PLUGINS_CHANGED, lambda record: states.append((record.name, record.state)))
    await folder.sync()
    assert states.index(("good", "active")) < states.index(("bad", "failed"))
    assert "still running its import after 0.3 s" in folder.records()[0].error


async def test_a_package_with_its_own_modules_reloads_whole(
    folder: PluginFolder, registered: Registered
) -> None:
    package = folder.folder / "p"
    package.mkdir()
    (package / "__init__.py").write_text("from .inner import apply\n")
    (package / "inner.py").write_text(source(1))
    await folder.sync()
    (package / "inner.py").write_text(source(2))
    await folder.sync()
    assert registered == [2]
    assert not list(folder.folder.rglob("*.pyc"))


async def test_what_editors_leave_behind_is_no_plugin(folder: PluginFolder) -> None:
    for name in ("p.py~", ".p.py.tmp", "p.py.swp", "4913", ".#p.py", "#p.py#", "p.py___jb_tmp___", "4.py"):
        (folder.folder / name).write_text(source(name))
    (folder.folder / "__pycache__").mkdir()
    (folder.folder / "__pycache__" / "p.py").write_text(source("cache"))
    assert find_plugins(folder.folder) == ({}, {})


@pytest.mark.parametrize("place", ["p.py", "p/__init__.py", "p/inner.py"])
@pytest.mark.parametrize("kind", ODD_FILES)
async def test_what_can_not_be_read_is_told_and_a_version_that_runs_stays(
    folder: PluginFolder, registered: Registered, kind: str, place: str
) -> None:
    path = folder.folder / place
    main = path.with_name("__init__.py") if path.name == "inner.py" else path
    main.parent.mkdir(exist_ok=True)
    if path != main:
        main.write_text(source(1))
    ODD_FILES[kind](path)
    await folder.sync()
    (record,) = folder.records()
    assert (record.state, record.error.startswith(f"{path}: is "), registered) == ("failed", True, [])
    _remove(path)
    main.write_text(source(1))
    await folder.sync()
    assert registered == [1]
    path.unlink(missing_ok=True)
    ODD_FILES[kind](path)
    await folder.sync()
    (record,) = folder.records()
    assert (record.state, record.error.startswith(f"{path}: is "), registered) == ("active", True, [1])
    _remove(path)
    main.write_text(source(1))
    await folder.sync()
    (record,) = folder.records()
    assert (record.state, record.error, registered) == ("active", "", [1])


async def test_data_files_and_touches_are_no_saves(folder: PluginFolder, registered: Registered) -> None:
    path = folder.folder / "p.py"
    path.write_text(source(1))
    await folder.sync()
    path.touch()
    (folder.folder / "data.json").write_text("{}")
    await folder.sync()
    assert folder.records()[0].reloads == 0
    assert registered == [1]


async def test_a_plugin_that_failed_beside_another_is_tried_again_when_that_one_has_gone(
    folder: PluginFolder, registered: Registered
) -> None:
    exclusive = (
        "def apply(ctx, config):\n    assert 'x' not in config, 'x is taken'\n    config.append('x')\n"
    )
    exclusive += "    return lambda: config.remove('x')\n"
    (folder.folder / "p.py").write_text(exclusive)
    (folder.folder / "q.py").write_text(exclusive)
    (folder.folder / "good.py").write_text(source("good"))
    await folder.sync()
    failed = [record.name for record in folder.records() if record.state == "failed"]
    assert len(failed) == 1
    (folder.folder / ({"p", "q"} - set(failed)).pop()).with_suffix(".py").unlink()
    await folder.sync()
    assert sorted(map(str, registered)) == ["good", "x"]


def _in_place(path: Path, text: str) -> None:
    path.write_text(text)


def _temp_and_rename(path: Path, text: str) -> None:
    temp = path.with_name(".p.py.tmp")
    temp.write_text(text)
    temp.replace(path)


def _vim_backup(path: Path, text: str) -> None:
    path.replace(path.with_name("p.py~"))
    path.write_text(text)
    path.with_name("p.py~").unlink()


def _jetbrains(path: Path, text: str) -> None:
    path.with_name("p.py___jb_tmp___").write_text(text)
    path.replace(path.with_name("p.py___jb_old___"))
    path.with_name("p.py___jb_tmp___").replace(path)
    path.with_name("p.py___jb_old___").unlink()


def _same_size_and_time(path: Path, text: str) -> None:
    before = path.stat()
    _temp_and_rename(path, text)
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


def _folder_replaced(path: Path, text: str) -> None:
    new = path.parent.with_name("new")
    shutil.copytree(path.parent, new)
    (new / path.name).write_text(text)
    path.parent.replace(path.parent.with_name(f"old-{abs(hash(text))}"))
    new.replace(path.parent)


@pytest.mark.parametrize(
    "save",
    [_in_place, _temp_and_rename, _vim_backup, _jetbrains, _same_size_and_time, _folder_replaced],
    ids=lambda save: save.__name__,
)
async def test_every_way_of_saving_is_live(
    root: Context, tmp_path: Path, registered: Registered, save: Callable[[Path, str], None]
) -> None:
    path = tmp_path / "plugins" / "p.py"
    path.parent.mkdir()
    path.write_text(source(0))
    await root.plugin(plugin, plugin.Config(folder=path.parent, configs={"p": registered}))
    folder = root[PLUGINS]
    changed = asyncio.Event()
    root.on(PLUGINS_CHANGED, lambda _record: changed.set())
    await folder.sync()
    for version in range(1, 4):
        save(path, source(version))
        async with asyncio.timeout(5):
            while registered != [version]:
                changed.clear()
                await changed.wait()
