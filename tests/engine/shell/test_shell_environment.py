"""What commands get from the user's environment, and what they never do."""

from __future__ import annotations

import pytest

from dsh_tui.engine.shell.environment import child_environment


def test_harmless_names_get_through_and_the_rest_does_not() -> None:
    own = {
        "PATH": "/bin",
        "HOME": "/h",
        "LC_TIME": "C",
        "XDG_RUNTIME_DIR": "/run/1",
        "https_proxy": "http://proxy:8080",
        "BASH_ENV": "/evil",
        "LD_PRELOAD": "/evil.so",
        "SOMETHING": "else",
        "DSH_TUI_HOME": "/x",
    }
    env = child_environment(own, "s1")
    assert {name: env.get(name) for name in own} == {
        **own,
        "BASH_ENV": None,
        "LD_PRELOAD": None,
        "SOMETHING": None,
        "DSH_TUI_HOME": None,
    }
    assert (env["TERM"], env["NO_COLOR"], env["PAGER"], env["GIT_PAGER"]) == ("dumb", "1", "cat", "cat")
    assert (env["GIT_TERMINAL_PROMPT"], env["DSH_SHELL"], env["DSH_SESSION_ID"]) == ("0", "1", "s1")
    assert (env["GIT_EDITOR"], env["GIT_SEQUENCE_EDITOR"]) == (":", ":")
    assert env["LANG"] == "C.UTF-8"


def test_the_users_own_list_adds_names_and_patterns() -> None:
    env = child_environment({"MY_FLAG": "1", "APP_ONE": "2", "APP_TWO": "3"}, "s", also=("MY_FLAG", "APP_*"))
    assert (env["MY_FLAG"], env["APP_ONE"], env["APP_TWO"]) == ("1", "2", "3")


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("DEEPSEEK_API_KEY", "x"),
        ("GITHUB_TOKEN", "x"),
        ("db_password", "x"),
        ("MY_SECRET", "x"),
        ("HARMLESS", "sk-0123456789abcdef"),
        ("HARMLESS", "ghp_0123456789abcdefABCDEF"),
        ("HARMLESS", "AKIA0123456789ABCDEF"),
        ("HARMLESS", "eyJhbGciOiJI.eyJzdWIiOiIx.sig"),
        ("HARMLESS", "-----BEGIN RSA PRIVATE KEY-----"),
        ("HARMLESS", "Authorization: Bearer abcdefghijkl"),
        ("HARMLESS", "postgres://user:pass@host/db"),
        ("http_proxy", "http://me:secret@proxy:8080"),
        ("HARMLESS", "prefix-stored-credential-value"),
        ("HARMLESS", "inside the-hidden-thing too"),
    ],
)
def test_credentials_never_get_through_whatever_they_are_called(name: str, value: str) -> None:
    own = {name: value, "OTHER_TOKEN": "the-hidden-thing"}
    assert name not in child_environment(own, "s", also=("*",), secrets=("stored-credential-value",))
