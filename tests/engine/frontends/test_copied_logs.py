"""Logs that were copied, renamed or damaged by hand: every command means the same one, or says why not."""

from __future__ import annotations

import json
import shutil
import zipfile
from pathlib import Path

import pytest

from dsh_tui.cli import main
from dsh_tui.engine.persistence.jsonl.paths import find_log
from dsh_tui.engine.persistence.jsonl.reader import read_log
from tests.fakes.command_line import Run
from tests.fakes.log_folder import LogFolder
from tests.fakes.session_logs import answer, bare_session, call, open_step, open_turn, result, whole_turn

TWICE = "dsh-tui:--work-app--/a", "dsh-tui:--work-other--/a"


def copied(log: Path, name: str) -> Path:
    """The session of a log under another name, as ``cp -r`` does it."""
    folder = log.parent.with_name(name)
    shutil.copytree(log.parent, folder)
    return folder / log.name


def listed(run: Run) -> dict[str, str]:
    return {row["id"]: row["status"] for row in json.loads(run("list", "--json")[1].encode("latin-1"))}


@pytest.mark.parametrize("name", ["a-copy", "a (copy)", "me@work", "复制", "100%"])
def test_a_copy_under_another_name_is_a_session_of_its_own(run: Run, logs: LogFolder, name: str) -> None:
    original = logs.add("a", ("one", "first"))
    before = original.read_bytes()
    copy = copied(original, name)
    assert listed(run) == {"a": "ok", name: "ok"}
    status, out, _ = run("verify", name)
    said = out.encode("latin-1").decode()
    assert (status, said) == (
        0,
        f"{name}: sound (the log says that it is session a; it goes by the name of its folder)\n",
    )
    assert "first" in run("show", name)[1]
    assert run("rename", name, "Mine")[0] == 0
    assert (b"Mine" in copy.read_bytes(), original.read_bytes()) == (True, before)
    fork = run("fork", name)[1].strip()
    assert run("delete", name)[0] == 0
    assert listed(run) == {"a": "ok", fork: "ok"}
    assert run("delete", "--undo", name)[0] == 0
    assert listed(run) == {"a": "ok", name: "ok", fork: "ok"}
    assert original.read_bytes() == before
    assert run("verify")[0] == 0


def test_copies_in_two_projects_are_both_listed_and_each_is_meant_by_what_it_is_called(
    run: Run, logs: LogFolder
) -> None:
    logs.add("a", ("one", "first"))
    logs.add("a", ("two", "second"), cwd="/work/other")
    logs.add("b", ("three", "third"))
    assert set(listed(run)) == {*TWICE, "b"}
    assert ("first" in run("show", TWICE[0])[1], "second" in run("show", TWICE[1])[1]) == (True, True)
    assert run("rename", TWICE[1], "Other")[0] == 0
    assert b"Other" in (logs.root / "--work-other--" / "a" / "session.jsonl").read_bytes()
    fork = run("fork", f"{TWICE[1]}@5")[1].strip()
    path = find_log(logs.root, fork)
    assert path is not None
    assert read_log(path).header["parentSession"] == TWICE[1]
    assert run("verify")[0] == 0
    assert run("delete", TWICE[1])[0] == 0
    assert set(listed(run)) == {"a", "b", fork}
    assert run("delete", "--undo", TWICE[1])[0] == 0
    assert set(listed(run)) == {*TWICE, "b", fork}


@pytest.mark.parametrize(
    "command",
    [["show"], ["fork"], ["rename", "x"], ["delete"], ["repair"], ["verify"], ["export"], ["requests"]],
)
def test_an_id_that_two_logs_have_is_one_line_that_names_both(
    run: Run, logs: LogFolder, command: list[str]
) -> None:
    logs.add("a", ("one", "first"))
    logs.add("a", ("two", "second"), cwd="/work/other")
    before = {path: path.read_bytes() for path in logs.root.rglob("*.jsonl")}
    verb, *rest = command
    assert run(verb, "a", *rest) == (
        1,
        "",
        f"dsh-tui: there are 2 sessions a; say which: {TWICE[0]} or {TWICE[1]}\n",
    )
    assert {path: path.read_bytes() for path in logs.root.rglob("*.jsonl")} == before


@pytest.mark.parametrize("option", ["--resume", "--fork"])
def test_the_app_says_so_before_it_draws(
    logs: LogFolder, option: str, capsys: pytest.CaptureFixture[str]
) -> None:
    logs.add("a", ("one", "first"))
    logs.add("a", ("two", "second"), cwd="/work/other")
    with pytest.raises(SystemExit):
        main([option, "a"])
    assert capsys.readouterr().err.startswith("dsh-tui: there are 2 sessions a; say which: ")


def test_damage_in_a_turn_that_never_ended_is_said_by_list_verify_and_repair_alike(
    run: Run, logs: LogFolder
) -> None:
    session = bare_session("a")
    whole_turn(session, "hello", "hi")
    open_turn(session, "tidy up")
    open_step(session)
    answer(session, "on it", "c1")
    call(session, "c1")
    result(session, "c1", "removed it")
    path = logs.store(session)
    lines = path.read_bytes().split(b"\n")
    lines[11] = lines[11][:40]
    path.write_bytes(b"\n".join(lines))
    before = path.read_bytes()
    what = "the end of the log is damaged (line 12 is damaged: cut off or overwritten)"
    assert f"[damaged] {what}" in run("list")[1]
    assert listed(run) == {"a": "damaged"}
    [verdict] = json.loads(run("verify", "--json")[1])
    assert (verdict["ok"], verdict["seq"], verdict["line"]) == (False, 10, 12)
    assert verdict["rule"].startswith(what)
    assert run("verify", "a")[0] == 1
    status, out, err = run("repair", "a")
    assert (status, "14 records" in err, "not damaged" in err) == (0, True, False)
    assert "removed it" in run("show", out.strip())[1]
    assert run("verify", out.strip())[0] == 0
    assert path.read_bytes() == before
    renamed, _, told = run("rename", "a", "Mine")
    assert (renamed, what in told, "are kept in" in told) == (0, True, True)
    assert run("verify", "a")[0] == 0


def test_the_commands_that_messages_name_can_be_pasted(run: Run, logs: LogFolder) -> None:
    copied(logs.add("a", ("one", "first")), "a (copy)")
    assert "`dsh-tui sessions delete --undo 'a (copy)'`" in run("delete", "a (copy)")[2]


@pytest.mark.parametrize(
    ("one", "other"), [("a (copy)", "a [copy]"), ("notes", "Notes"), ("n" * 120 + "1", "n" * 120 + "2")]
)
def test_a_zip_has_a_folder_for_each_session_however_alike_they_are_called(
    run: Run, logs: LogFolder, tmp_path: Path, one: str, other: str
) -> None:
    log = logs.add("a", ("one", "first"))
    copied(log, one)
    copied(log, other)
    target = tmp_path / "talks.zip"
    assert run("export", one, other, "-o", str(target))[0] == 0
    with zipfile.ZipFile(target) as archive:
        folders = {name.partition("/")[0].casefold() for name in archive.namelist()}
        assert (len(folders), len(archive.namelist())) == (2, 4)
