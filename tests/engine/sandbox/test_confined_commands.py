"""Real commands under real confinement: what can't get out, what still works inside."""

from __future__ import annotations

import re
import socket
import statistics
import subprocess
import time
from dataclasses import replace

import pytest

from dsh_tui.engine.sandbox.bubblewrap import BubblewrapBackend
from dsh_tui.engine.sandbox.landlock import LandlockBackend
from dsh_tui.engine.sandbox.seam import Backend, SandboxUnavailableError
from tests.engine.sandbox.conftest import Site

PYTHON = "python3 -I -S -c"

ATTEMPTS = {
    "a new file": "echo x > $OUT/f",
    "append": "echo x >> $OUT/kept",
    "through a link": "ln -s $OUT l; echo x > l/f; echo x > l/kept",
    "through a link to the file": "ln -s $OUT/kept l; echo x > l",
    "through a hard link": "ln $OUT/kept h && echo x > h",
    "through /proc/self/root": "echo x > /proc/self/root$OUT/f; echo x > /proc/self/root$OUT/kept",
    "through the parent": "cd sub/../..; echo x > out/f; echo x > out/kept",
    "rename out": "echo x > y; mv y $OUT/y; mv -f y $OUT/kept",
    "rename away": "mv $OUT/kept taken",
    "exchange": f'{PYTHON} \'import os; os.rename("mine", os.environ["OUT"] + "/kept")\'',
    "cut short": "truncate -s 0 $OUT/kept",
    "cut short by name": f'{PYTHON} \'import os; os.truncate(os.environ["OUT"] + "/kept", 0)\'',
    "remove": "rm -rf $OUT/kept $OUT/folder",
    "a directory": "mkdir $OUT/d",
    "a link": "ln -s / $OUT/l",
    "a pipe": "mkfifo $OUT/p",
    "a child of a child": "bash -c 'bash -c \"echo x > $OUT/f\"'",
    "a child in a session of its own": "setsid --wait bash -c 'echo x > $OUT/f'",
    "a loop of children": "for n in 1 2 3; do (echo x > $OUT/f$n) & done; wait",
    "a mount": "mount --bind . $OUT; mount -o remount,rw /; echo x > $OUT/f",
    "another namespace": "unshare -Urm bash -c 'mount -o remount,rw /; echo x > $OUT/f'",
    "the root of another process": "for p in /proc/[0-9]*; do echo x > $p/root$OUT/f; done",
}


@pytest.mark.parametrize("way", ATTEMPTS)
def test_nothing_outside_changes(backend: Backend, site: Site, way: str) -> None:
    before = site.state_outside()
    site.run(backend, ATTEMPTS[way])
    assert site.state_outside() == before


def test_nothing_at_all_changes_under_read_only(backend: Backend, site: Site) -> None:
    before = site.state_outside()
    site.run(backend, "\n".join(f"({way})" for way in ATTEMPTS.values()), "read-only")
    assert site.state_outside() == before
    assert sorted(path.name for path in site.inside.iterdir()) == [".git", "mine", "sub"]


def test_inside_everything_works(backend: Backend, site: Site) -> None:
    command = (
        "set -e; echo a > new; mkdir -p d/e; mv new d/e; cat d/e/new; ln d/e/new hard; ln -s hard soft; "
        "cat soft; truncate -s 1 hard; mkfifo pipe; rm -r d; chmod 600 hard; "
        "echo t > $TMPDIR/t; cat $TMPDIR/t; echo n > /dev/null; head -c 3 /dev/zero | wc -c; "
        "echo out > /dev/stdout; echo err > /dev/stderr"
    )
    done = site.run(backend, command)
    assert (done.returncode, done.stderr) == (0, "err\n")
    assert done.stdout.split() == ["a", "a", "t", "3", "out"]
    assert (site.inside / "hard").read_text() == "a"


def test_read_only_leaves_only_the_null_device(backend: Backend, site: Site) -> None:
    command = "cat mine; echo x > mine; echo x > new; echo x > $TMPDIR/t; echo x > /tmp/t; echo n > /dev/null"
    done = site.run(backend, command, "read-only")
    assert (done.returncode, done.stdout) == (0, "mine\n")
    assert len(done.stderr.splitlines()) == 4
    assert sorted(path.name for path in site.inside.iterdir()) == [".git", "mine", "sub"]


def test_a_refusal_sounds_like_one(backend: Backend, site: Site) -> None:
    denials = backend.confine(("true",), site.bounds(), site.inside).denials
    done = site.run(backend, "echo x > /etc/dsh-tui-was-here")
    assert done.returncode != 0
    assert any(words in done.stderr for words in denials)


def test_signals_do_not_leave(backend: Backend, site: Site) -> None:
    if any("signals" in gap for gap in backend.gaps):
        pytest.skip("this kernel's Landlock does not scope signals")
    with subprocess.Popen(("sleep", "30")) as victim:
        assert site.run(backend, f"kill -KILL {victim.pid}").returncode == 1
        assert victim.poll() is None
        victim.kill()


def test_a_daemon_outside_is_not_reached_over_its_socket(backend: Backend, site: Site) -> None:
    if any("socket" in gap for gap in backend.gaps):
        pytest.skip("not enforced on this machine, and said so")
    reached: list[bool] = []
    with socket.socket(socket.AF_UNIX) as daemon:
        daemon.bind(str(site.outside / "sock"))
        daemon.listen()
        daemon.settimeout(0.05)
        code = "import os, socket; socket.socket(socket.AF_UNIX).connect(os.environ['OUT'] + '/sock')"
        done = site.run(backend, f'{PYTHON} "{code}"')
        try:
            daemon.accept()
            reached.append(True)
        except TimeoutError:
            pass
    assert done.returncode == 1
    assert reached == []


def test_root_keeps_no_way_around(backend: Backend, site: Site) -> None:
    done = site.run(backend, "grep -E 'CapBnd|NoNewPrivs' /proc/self/status; mknod disk b 8 0")
    facts = dict(re.findall(r"(\w+):\s+(\w+)", done.stdout))
    assert facts["NoNewPrivs"] == "1"
    assert int(facts["CapBnd"], 16) & ~0b11011 == 0 or done.returncode != 0  # without root nothing is dropped
    assert not (site.inside / "disk").exists()


def test_git_and_own_files_stay_as_they_are_where_enforcement_is_full(backend: Backend, site: Site) -> None:
    command = (
        "echo x > .git/hooks/post-checkout; echo x >> .git/config; echo evil > .git/commondir; "
        "mv .git away; rm -rf .git; mkdir .git; cat $OLDPWD../home/credentials.yaml ../home/credentials.yaml"
    )
    done = site.run(backend, command)
    if backend.enforcement == "partial":
        assert any(".git" in gap for gap in backend.gaps)
        assert any("credentials" in gap for gap in backend.gaps)
        return
    assert [str(path.relative_to(site.inside)) for path in sorted(site.inside.rglob("*"))] == [
        ".git",
        ".git/config",
        ".git/hooks",
        "mine",
        "sub",
    ]
    assert (site.inside / ".git" / "config").read_text() == "[core]\n"
    assert "sk-secret" not in done.stdout


def test_a_home_inside_the_workspace_is_never_writable(backend: Backend, site: Site) -> None:
    everything = replace(site.bounds(), workspace=site.root, writable=(site.root,))
    if backend.enforcement == "partial":
        with pytest.raises(SandboxUnavailableError, match=f"can't protect {site.root}/home"):
            backend.confine(("true",), everything, site.root)
        return
    confined = backend.confine(("bash", "-c", "echo x > home/new; echo x > in/new"), everything, site.root)
    subprocess.run(confined.argv, cwd=site.root, capture_output=True, check=False)
    assert (site.inside / "new").exists()
    assert not (site.root / "home" / "new").exists()


def test_a_writable_folder_inside_the_home_gives_nothing_of_it_away(backend: Backend, site: Site) -> None:
    plugins = site.root / "home" / "plugins"
    plugins.mkdir()
    bounds = replace(site.bounds(), workspace=plugins, writable=(plugins,), guarded=())
    touch = ("touch", str(plugins / "evil.py"))
    if backend.enforcement == "partial":
        with pytest.raises(SandboxUnavailableError, match="home, which holds one"):
            backend.confine(touch, bounds, plugins)
        return
    confined = backend.confine(touch, bounds, plugins)
    assert subprocess.run(confined.argv, cwd=plugins, capture_output=True, check=False).returncode
    assert not list(plugins.iterdir())


def test_status_and_signal_of_the_command_are_its_own(backend: Backend, site: Site) -> None:
    assert site.run(backend, "exit 7").returncode == 7
    assert site.run(backend, "kill -KILL $$").returncode in (-9, 137)


def test_a_launcher_that_fails_runs_nothing(site: Site, landlock: Backend) -> None:
    confined = landlock.confine(("bash", "-c", "touch ran"), site.bounds(), site.inside)
    broken = [part.replace("444, 445, 446", "4444, 4445, 4446") for part in confined.argv]
    done = subprocess.run(broken, cwd=site.inside, capture_output=True, text=True, check=False)
    [(status, beginning)] = confined.failures
    assert (done.returncode, done.stderr.startswith(beginning)) == (status, True)
    assert not (site.inside / "ran").exists()


def test_a_backend_that_does_not_work_says_why(site: Site) -> None:
    assert BubblewrapBackend("").fault() == "bubblewrap is not installed"
    assert "can't be run" in BubblewrapBackend(str(site.inside / "none")).fault()
    assert "does not work here" in BubblewrapBackend("/bin/false").fault()
    assert "interpreter" in LandlockBackend("").fault()


def test_bubblewrap_mounts_what_is_kept_after_what_may_change(site: Site) -> None:
    argv = list(BubblewrapBackend("bwrap").confine(("true",), site.bounds(), site.inside).argv)

    def at(*words: str) -> int:
        return next(n for n in range(len(argv)) if tuple(argv[n : n + len(words)]) == words)

    inside, git = str(site.inside), str(site.inside / ".git")
    assert at("--ro-bind", "/", "/") < at("--tmpfs", "/tmp") < at("--bind-try", inside, inside)
    assert at("--bind-try", inside, inside) < at("--ro-bind-try", git, git)
    secret = str(site.root / "home" / "credentials.yaml")
    assert at("--ro-bind-try", str(site.root / "home")) < at("--ro-bind", "/dev/null", secret)
    assert "--die-with-parent" not in argv
    assert argv[-1] == "true"


def test_confining_takes_little_time(backend: Backend, site: Site) -> None:
    def took() -> float:
        started = time.perf_counter()
        site.run(backend, ":")
        return time.perf_counter() - started

    assert statistics.median(took() for _ in range(7)) < 0.25  # some 15 ms on an idle machine
