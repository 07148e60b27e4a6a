from __future__ import annotations

import io
import json
import re
import zipfile
from pathlib import Path

import pytest

from dsh_tui.engine.persistence.jsonl.paths import find_log
from dsh_tui.engine.persistence.jsonl.reader import read_log
from dsh_tui.engine.persistence.lease.record import LOCK_NAME
from tests.fakes.closed_files import modes_obeyed
from tests.fakes.command_line import Run
from tests.fakes.damaged_home import DAMAGES, Damage, damage
from tests.fakes.log_folder import LogFolder
from tests.fakes.session_logs import NOON, bare_session, open_step, open_turn, whole_turn


def damaged(logs: LogFolder, session_id: str = "bad") -> Path:
    path = logs.add(session_id, ("one", "first"), ("two", "second"))
    lines = path.read_bytes().split(b"\n")
    lines[3] = lines[3][: len(lines[3]) // 2]
    path.write_bytes(b"\n".join(lines))
    return path


def log_of(logs: LogFolder, session_id: str) -> Path:
    path = find_log(logs.root, session_id)
    assert path is not None
    return path


@pytest.mark.parametrize(
    "command",
    [
        ["show", "hallo"], ["fork", "hallo"], ["fork", "hallo@3"], ["rename", "hallo", "x"],
        ["delete", "hallo"], ["repair", "hallo"], ["verify", "hallo"], ["export", "hallo"],
    ],
)  # fmt: skip
def test_an_unknown_id_is_one_line_that_names_the_nearest(
    run: Run, logs: LogFolder, command: list[str]
) -> None:
    logs.add("hello", ("hi", "there"))
    status, out, err = run(*command)
    assert (status, out) == (1, "")
    assert err == "dsh-tui: no session hallo; did you mean hello?\n"


def test_a_fork_holds_all_turns_and_knows_its_parent(run: Run, logs: LogFolder) -> None:
    logs.add("a", ("one", "first"), ("two", "second"))
    status, out, err = run("fork", "a")
    assert status == 0
    copy = read_log(log_of(logs, out.strip()))
    assert copy.header["parentSession"] == "a"
    assert sum(event.type == "turn/end" for event in copy.events) == 2
    assert "forked a after seq" in err


def test_a_fork_inside_a_turn_snaps_to_the_end_of_the_one_before_and_says_so(
    run: Run, logs: LogFolder
) -> None:
    path = logs.add("a", ("one", "first"), ("two", "second"))
    events = read_log(path).events
    first_end = next(event.seq for event in events if event.type == "turn/end")
    status, out, err = run("fork", f"a@{first_end + 2}", "--json")
    made = json.loads(out)
    assert (status, made["parentSession"], made["boundary"]) == (0, "a", first_end)
    status, out, err = run("fork", f"a@{first_end + 2}")
    assert f"forked a after seq {first_end}, where a turn ends; seq {first_end + 2} lies inside a turn" in err
    assert run("fork", "a@1")[2] == "dsh-tui: cannot fork at seq 1: no turn has ended by then\n"
    assert run("fork", "a@x")[1:] == ("", "dsh-tui: no session a@x; see `dsh-tui sessions list`\n")


def test_a_title_of_ones_own_is_logged_and_the_session_stays_sound(run: Run, logs: LogFolder) -> None:
    logs.add("a", ("one", "first"))
    assert run("rename", "a", "My  own\ntitle") == (0, "a: My own title\n", "")
    _, out, _ = run("list", "--json")
    assert [row["title"] for row in json.loads(out)] == ["My own title"]
    assert run("verify", "a")[0] == 0
    assert not log_of(logs, "a").with_name(LOCK_NAME).exists()
    assert run("rename", "a", "\x07")[0] == 1


def test_what_another_process_writes_is_neither_renamed_nor_deleted(run: Run, logs: LogFolder) -> None:
    path = logs.add("a", ("one", "first"))
    lock = {"token": "t" * 40, "pid": 77, "renewedAt": NOON, "expiresAt": 4_000_000_000_000}
    lock["renewedAt"] = 4_000_000_000_000 - 60_000
    path.with_name(LOCK_NAME).write_text(json.dumps(lock))
    before = path.read_bytes()
    for command in (["rename", "a", "x"], ["delete", "a"]):
        status, out, err = run(*command)
        assert (status, out) == (1, "")
        assert err.startswith("dsh-tui: session a is in use by process 77")
        assert err.count("\n") == 1
    assert path.read_bytes() == before


def test_deleting_moves_to_the_trash_and_is_undone(run: Run, logs: LogFolder, home: Path) -> None:
    before = {name: logs.add(name, ("one", name)).read_bytes() for name in ("a", "b", "c")}
    status, out, err = run("delete", "a", "zz", "b")
    assert (status, out) == (1, "deleted a b\n")  # zz is unknown, the others go all the same
    assert "sessions delete --undo a b" in err
    assert [row["id"] for row in json.loads(run("list", "--json")[1])] == ["c"]
    assert run("delete", "--undo", "a", "b")[:2] == (0, "restored a b\n")
    for name, content in before.items():
        assert log_of(logs, name).read_bytes() == content
        assert not log_of(logs, name).with_name(LOCK_NAME).exists()
    assert list((home / "trash").iterdir()) == []


def test_undo_without_an_id_takes_the_last_and_never_writes_over(run: Run, logs: LogFolder) -> None:
    logs.add("a", ("one", "first"))
    run("delete", "a")
    logs.add("a", ("another", "one"))
    status, _, err = run("delete", "--undo")
    assert status == 1
    assert "is there already; nothing was put back" in err
    assert run("delete", "--undo", "nope")[2].endswith("; deleted are a\n")
    assert run("delete")[0] == 2


def test_a_damaged_session_is_verified_repaired_and_never_touched(run: Run, logs: LogFolder) -> None:
    path = damaged(logs)
    before = path.read_bytes()
    status, out, _ = run("verify", "bad")
    assert status == 1
    assert out.startswith("bad: seq 2, line 4: line 4 is damaged")
    [verdict] = json.loads(run("verify", "bad", "--json")[1])
    assert (verdict["ok"], verdict["seq"], verdict["line"]) == (False, 2, 4)
    assert "sessions repair bad" in run("rename", "bad", "x")[2]
    status, out, err = run("repair", "bad")
    assert status == 0
    assert "is unchanged" in err
    assert run("verify", out.strip())[0] == 0
    assert "second" in run("show", out.strip())[1]
    assert path.read_bytes() == before


@pytest.mark.parametrize("one", [one for one in DAMAGES if one.name != "newer" and not one.closed])
def test_a_fork_of_a_damaged_session_holds_what_can_be_saved_of_it(
    run: Run, logs: LogFolder, one: Damage
) -> None:
    paths = {path.parent.name: path for path in damage(logs)}
    before = paths[one.name].read_bytes()
    status, out, err = run("fork", one.name)
    if one.name in ("empty", "header-only"):
        assert (status, out, err) == (1, "", "dsh-tui: there is nothing to fork: no turn has ended\n")
        return
    copy = out.strip()
    assert (status, run("verify", copy)[0]) == (0, 0)
    assert read_log(log_of(logs, copy)).header["parentSession"] == one.name
    assert "second answer" in run("show", copy)[1]
    assert paths[one.name].read_bytes() == before
    status, out, err = run("fork", f"{one.name}@8")
    assert (status, "second" in run("show", out.strip())[1]) == (0, False), err


def test_verifying_all_tells_of_each(run: Run, logs: LogFolder) -> None:
    logs.add("good", ("one", "first"))
    running = bare_session("running")
    open_turn(running, "still")
    open_step(running)
    logs.store(running)
    assert run("verify")[0] == 0
    damaged(logs)
    status, out, _ = run("verify")
    assert status == 1
    assert sorted(line.split(":")[0] for line in out.splitlines()) == ["bad", "good", "running"]


def test_a_broken_rule_in_a_readable_log_is_found(run: Run, logs: LogFolder) -> None:
    session = bare_session("odd")
    whole_turn(session, "one", "first")
    path = logs.store(session)
    path.write_bytes(path.read_bytes().replace(b'"step":1', b'"step":7', 1))
    [verdict] = json.loads(run("verify", "odd", "--json")[1])
    assert verdict["ok"] is False
    assert verdict["seq"] >= 2


@pytest.mark.parametrize("name", ["x.docx", "x.MD.bak", "x.json", "session.2024"])
def test_an_export_to_a_name_with_another_ending_names_those_that_there_are(
    run: Run, logs: LogFolder, tmp_path: Path, name: str
) -> None:
    logs.add("a", ("one", "first"))
    status, out, err = run("export", "a", "-o", str(tmp_path / name))
    assert (status, out) == (1, "")
    assert err == (
        f"dsh-tui: {name}: end the name in .md, .jsonl or .zip, or say with --format what it is to be\n"
    )
    assert not (tmp_path / name).exists()
    assert run("export", "a", "-o", str(tmp_path / name), "--format", "jsonl")[0] == 0
    assert (tmp_path / name).read_bytes().startswith(b'{"format":')


def test_an_export_to_a_name_without_an_ending_is_what_the_help_says(
    run: Run, logs: LogFolder, tmp_path: Path
) -> None:
    logs.add("a", ("one", "first"))
    logs.add("b", ("two", "second"))
    assert run("export", "a", "-o", str(tmp_path / "talk"))[0] == 0
    assert (tmp_path / "talk").read_text().startswith("# one\n")
    assert run("export", "a", "b", "-o", str(tmp_path / "both"))[0] == 0
    assert zipfile.is_zipfile(tmp_path / "both")
    said = " ".join(run("export", "--help")[1].split())
    assert "without an ending Markdown, and a ZIP for several" in said


def test_exports_are_markdown_json_lines_and_zip(run: Run, logs: LogFolder, tmp_path: Path) -> None:
    path = logs.add("a", ("one", "first"))
    logs.add("b", ("two", "second"))
    assert run("export", "a")[1].startswith("# one\n")
    rows = [json.loads(line) for line in run("export", "a", "--format", "jsonl")[1].splitlines()]
    assert rows[0]["id"] == "a"
    assert run("export", "a", "--json")[1] == run("show", "a", "--json")[1]
    target = tmp_path / "out.zip"
    assert run("export", "a", "b", "-o", str(target))[0] == 0
    with zipfile.ZipFile(target) as archive:
        assert sorted(archive.namelist()) == [
            "a/session.jsonl", "a/transcript.md", "b/session.jsonl", "b/transcript.md",
        ]  # fmt: skip
        assert archive.read("a/session.jsonl") == path.read_bytes()
    assert "exists" in run("export", "a", "-o", str(target))[2]
    assert "one at a time" in run("export", "a", "b", "--format", "jsonl")[2]
    piped = run("export", "a", "--format", "zip")[1].encode("latin-1")
    assert zipfile.ZipFile(io.BytesIO(piped)).testzip() is None


def test_reindex_makes_the_index_and_says_how_much(run: Run, logs: LogFolder, home: Path) -> None:
    logs.add("a", ("one", "first"))
    status, out, _ = run("reindex", "--json")
    assert (status, json.loads(out)["sessions"]) == (0, 1)
    assert (home / "index.sqlite").stat().st_mode & 0o777 == 0o600
    (home / "index.sqlite").write_bytes(b"garbage")
    assert run("reindex")[1].startswith("1 sessions in ")


def test_broken_settings_are_refused_with_their_line(run: Run, logs: LogFolder, home: Path) -> None:
    logs.add("a", ("one", "first"))
    (home / "settings.yaml").write_text("modle: x\n")
    status, _, err = run("delete", "a")
    assert status == 2
    assert "settings.yaml:1" in err


def test_the_list_says_what_is_the_matter_with_each(run: Run, logs: LogFolder) -> None:
    logs.add("good", ("one", "first"))
    damaged(logs)
    held = logs.add("held", ("one", "first"))
    expires = 4_000_000_000_000
    lock = {"token": "t" * 40, "pid": 77, "renewedAt": expires - 60_000, "expiresAt": expires}
    held.with_name(LOCK_NAME).write_text(json.dumps(lock))
    later = logs.add("later", ("one", "first"))
    later.write_bytes(re.sub(rb'"version":\d+', b'"version":99', later.read_bytes(), count=1))
    logs.add("empty", ("one", "first")).write_bytes(b"")
    status, out, err = run("list", "--json")
    assert (status, err) == (0, "")
    assert {row["id"]: row["status"] for row in json.loads(out)} == {
        "good": "ok",
        "bad": "damaged",
        "held": "busy",
        "later": "foreign-version",
        "empty": "damaged",
    }
    assert "[busy] in use by process 77" in run("list")[1]


@pytest.mark.parametrize("form", ["plain", "json"])
def test_of_many_sessions_each_damaged_one_is_listed_and_says_what_is_wrong(
    run: Run, logs: LogFolder, form: str
) -> None:
    for number in range(20):
        logs.add(f"s{number}", (f"question {number}", "answer"))
    large = logs.add("large", *((f"question {number}", "x" * 4_000) for number in range(80)))
    large.write_bytes(large.read_bytes().replace(b'"text":"question 40"', b'"text":"question 4"'))
    damage(logs)
    with modes_obeyed():
        status, out, err = run("list", *(["--json"] if form == "json" else []))
    assert (status, err) == (0, "")
    if form == "json":
        statuses = {row["id"]: row["status"] for row in json.loads(out)}
        assert statuses["large"] == "damaged"
        assert {one.name: statuses[one.name] for one in DAMAGES} == {one.name: one.status for one in DAMAGES}
        assert len(statuses) == 21 + len(DAMAGES)
        return
    lines = {line.split()[0]: line for line in out.splitlines()}
    assert len(lines) == len(out.splitlines()) == 21 + len(DAMAGES)
    assert "[damaged] line 243 is not as it was written" in lines["large"]
    for one in DAMAGES:
        marked = "" if one.status == "ok" else f"[{one.status}]"
        assert marked in lines[one.name]
        assert one.note in lines[one.name]
        assert bool(marked) == ("[" in lines[one.name])


def test_a_session_in_a_closed_folder_is_named_as_such_by_every_command(run: Run, logs: LogFolder) -> None:
    logs.add("a", ("hello", "hi"))
    (logs.root / "--aa--").mkdir(mode=0o000)
    path = logs.add("b", ("hello", "hi"))
    path.parent.chmod(0o000)
    with modes_obeyed():
        assert run("show", "a")[0] == 0
        for command in ("show", "verify", "export", "repair"):
            status, _, err = run(command, "b")
            assert (status, "Permission denied" in err, err.count("\n")) == (1, True, 1), (command, err)
