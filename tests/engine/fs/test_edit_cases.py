"""The collected edit cases, run through the real tools where the collection is present."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

import pytest

from tests.fakes.workbench import Workbench

CASES = Path(__file__).resolve().parents[3] / "../shared/cases"

pytestmark = pytest.mark.skipif(not CASES.is_dir(), reason="the case collection is not here")


def load(name: str) -> list[dict[str, Any]]:  # Any: JSON of the collection
    path = CASES / "edit" / name
    cases: list[dict[str, Any]] = json.loads(path.read_text("utf-8"))["cases"] if path.is_file() else []
    return cases


def named(case: dict[str, Any]) -> str:
    return str(case["name"])


@pytest.mark.parametrize(
    "case", load("s01-crlf.json") + load("s02-literal.json") + load("s04-matching.json"), ids=named
)
async def test_bytes_after_an_edit_are_as_expected(case: dict[str, Any], work: Workbench) -> None:
    path = work.cwd / "file.txt"
    before = base64.b64decode(case["before"])
    path.write_bytes(before)
    await work.call("read", file_path="file.txt")
    answer = await work.call(
        "edit",
        file_path="file.txt",
        old_string=base64.b64decode(case["old"]).decode(),
        new_string=base64.b64decode(case["new"]).decode(),
        replace_all=case["replace_all"],
    )
    expected = case["expect"]
    if expected["result"] == "ok":
        assert not answer.failed, answer.text
        assert path.read_bytes() == base64.b64decode(expected["after"])
    else:
        assert answer.failed
        assert expected["error_about"] in answer.text
        assert path.read_bytes() == before


@pytest.mark.parametrize("case", load("s03-symlink.json"), ids=named)
async def test_links_stay_links(case: dict[str, Any], work: Workbench) -> None:
    (work.cwd / "real.md").write_text("hello\nworld\n")
    for link, target in case["links"].items():
        path = work.cwd / link
        path.parent.mkdir(parents=True, exist_ok=True)
        path.symlink_to(target)
    await work.call("read", file_path=case["edit"])
    answer = await work.call("edit", file_path=case["edit"], old_string="world", new_string="there")
    expected = case["expect"]
    assert answer.failed is (expected["result"] == "error")
    if "real.md" in expected:
        assert (work.cwd / "real.md").read_text() == expected["real.md"]
    assert all((work.cwd / link).is_symlink() for link in expected.get("still_links", ()))
    assert not any((work.cwd / name).exists() for name in expected.get("absent", ()))


@pytest.mark.parametrize("case", load("s05-unicode-forms.json"), ids=named)
async def test_unicode_forms_never_make_a_twin(case: dict[str, Any], work: Workbench) -> None:
    existing = case.get("existing") or {"t.txt": case["before_text"]}
    for name, content in existing.items():
        (work.cwd / name).write_text(content)
    asked = case.get("edit", "t.txt")
    await work.call("read", file_path=asked)
    answer = await work.call("edit", file_path=asked, old_string=case["old"], new_string=case["new"])
    outcome = {
        "result": "error" if answer.failed else "ok",
        "files": {path.name: path.read_text() for path in work.cwd.iterdir()},
    }
    allowed = [{"result": one["result"], "files": one["files"]} for one in case["expect_one_of"]]
    assert outcome in allowed


async def test_nasty_names_are_listed_escaped_and_open_as_listed(work: Workbench) -> None:
    spec = json.loads((CASES / "security" / "s03-file-names.json").read_text("utf-8"))
    for name in spec["names"]:
        (work.cwd / name).write_text(f"content of {name!r}\n")
    listed = await work.call("glob", pattern="*")
    lines = listed.text.splitlines()
    assert len(lines) == len(spec["names"])
    assert all(line.isprintable() for line in lines)
    for line in lines:
        opened = await work.call("read", file_path=line)
        assert not opened.failed, line
        opened.text.encode("utf-8")
    for line in lines:
        edited = await work.call("edit", file_path=line, old_string="content", new_string="c")
        assert not edited.failed, edited.text
    assert len(list(work.cwd.iterdir())) == len(spec["names"])
