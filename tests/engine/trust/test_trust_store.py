"""trust.json: private, whole, shared by processes, and worth nothing where it can't be read."""

from __future__ import annotations

import fcntl
import json
import os
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from dsh_tui.engine.trust.errors import TrustError
from dsh_tui.engine.trust.store import NOTHING, ProjectTrust, TrustStore
from tests.fakes.odd_files import ODD_FILES

PROJECT = Path("/work/p")


@pytest.fixture
def store(tmp_path: Path) -> TrustStore:
    return TrustStore(tmp_path / "home/trust.json")


def trusting(**pins: str) -> Callable[[ProjectTrust], ProjectTrust]:
    return lambda record: replace(record, trusted={**record.trusted, **pins})


def test_what_is_kept_is_found_by_another_process_and_only_for_that_directory(store: TrustStore) -> None:
    assert store.of(PROJECT) == NOTHING
    store.update(PROJECT, trusting(a="1"))
    other = TrustStore(store.path)
    assert other.of(PROJECT).trusted == {"a": "1"}
    assert other.of(PROJECT / "sub") == NOTHING
    assert other.of(PROJECT.parent) == NOTHING


def test_a_change_by_another_process_is_seen(store: TrustStore) -> None:
    store.update(PROJECT, trusting(a="1"))
    TrustStore(store.path).update(PROJECT, lambda _record: NOTHING)
    assert store.of(PROJECT) == NOTHING
    assert str(PROJECT) not in json.loads(store.path.read_text())["projects"]


def test_a_name_that_is_no_text_is_kept(store: TrustStore) -> None:
    odd = Path(os.fsdecode(b"/work/\xff\n"))
    store.update(odd, trusting(a="1"))
    assert TrustStore(store.path).of(odd).trusted == {"a": "1"}


@pytest.mark.parametrize("umask", [0o022, 0o000, 0o077])
def test_the_files_are_private_from_the_first_moment(store: TrustStore, umask: int) -> None:
    before = os.umask(umask)
    try:
        store.update(PROJECT, trusting(a="1"))
    finally:
        os.umask(before)
    assert {path.name: path.stat().st_mode & 0o777 for path in store.path.parent.iterdir()} == {
        "trust.json": 0o600,
        "trust.json.lock": 0o600,
    }
    assert store.path.parent.stat().st_mode & 0o777 == 0o700


def test_a_laxer_file_is_tightened_when_it_is_read(store: TrustStore) -> None:
    store.update(PROJECT, trusting(a="1"))
    store.path.chmod(0o644)
    assert TrustStore(store.path).of(PROJECT).trusted == {"a": "1"}
    assert store.path.stat().st_mode & 0o777 == 0o600


DAMAGED = {
    "empty": b"",
    "cut": b"{",
    "no text": b"\xff",
    "a list": b"[]",
    "another version": b'{"version":2,"projects":{}}',
    "no record": b'{"version":1,"projects":{"/work/p":1}}',
    "no digest": b'{"version":1,"projects":{"/work/p":{"trusted":{"a":1},"declined":{}}}}',
    "deep": b"[" * 100_000,
}


@pytest.mark.parametrize("content", DAMAGED.values(), ids=DAMAGED)
def test_a_damaged_file_trusts_nothing_and_is_put_aside_not_overwritten(
    store: TrustStore, content: bytes
) -> None:
    store.path.parent.mkdir()
    store.path.write_bytes(content)
    assert store.of(PROJECT) == NOTHING
    assert store.fault.startswith(f"{store.path}: is ")
    assert "\n" not in store.fault
    assert store.path.read_bytes() == content
    store.update(PROJECT, trusting(a="1"))
    assert store.of(PROJECT).trusted == {"a": "1"}
    assert store.fault == ""
    (aside,) = store.path.parent.glob("trust.json.broken-*")
    assert aside.read_bytes() == content


def test_a_link_in_its_place_is_not_followed(store: TrustStore, tmp_path: Path) -> None:
    other = TrustStore(tmp_path / "other.json")
    other.update(PROJECT, trusting(a="1"))
    store.path.parent.mkdir()
    store.path.symlink_to(other.path)
    assert store.of(PROJECT) == NOTHING
    assert store.fault


def test_whoever_looks_while_it_is_read_anew_sees_all_of_it(store: TrustStore) -> None:
    store.update(PROJECT, trusting(**{f"k{number}": "1" for number in range(2_000)}))
    seen: set[int] = set()

    def look() -> None:
        for _ in range(200):
            seen.add(len(store.of(PROJECT).trusted))

    threads = [threading.Thread(target=look) for _ in range(4)]
    for thread in threads:
        thread.start()
    for _ in range(20):
        store.path.touch()
    for thread in threads:
        thread.join()
    assert seen == {2_000}


def test_two_at_once_lose_nothing(store: TrustStore) -> None:
    def keep(number: int) -> None:
        TrustStore(store.path).update(PROJECT, trusting(**{f"k{number}": "1"}))

    threads = [threading.Thread(target=keep, args=(number,)) for number in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(store.of(PROJECT).trusted) == 12


def test_a_lock_that_is_not_given_back_is_told_and_changes_nothing(store: TrustStore) -> None:
    store.update(PROJECT, trusting(a="1"))
    store.lock_s = 0.05
    with store.path.with_name("trust.json.lock").open("rb") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        with pytest.raises(TrustError, match="another dsh-tui holds it"):
            store.update(PROJECT, trusting(b="2"))
    assert store.of(PROJECT).trusted == {"a": "1"}


def test_a_home_that_can_not_be_written_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(TrustError, match=r"trust\.json: can't be written"):
        TrustStore(tmp_path / "file/trust.json").update(PROJECT, trusting(a="1"))


@pytest.mark.parametrize("kind", ODD_FILES)
def test_what_is_no_file_trusts_nothing_says_so_and_is_put_aside_by_the_next_answer(
    store: TrustStore, kind: str
) -> None:
    store.path.parent.mkdir()
    ODD_FILES[kind](store.path)
    assert store.of(PROJECT) == NOTHING
    assert store.fault.startswith(f"{store.path}: is ")
    store.update(PROJECT, trusting(a="1"))
    assert (TrustStore(store.path).of(PROJECT).trusted, store.fault) == ({"a": "1"}, "")
    assert len([one for one in store.path.parent.iterdir() if "broken" in one.name]) == 1
