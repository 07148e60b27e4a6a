"""The environment of commands: what they need, nothing that opens a door.

Starts from a list of harmless names plus the user's own, then drops whatever is named or looks
like a credential, so that one ``env`` cannot put a key into the log. The user's own list can't
override that. Source: design §3.13; capabilities B2.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from fnmatch import translate
from functools import lru_cache
from typing import Final

ALLOWED: Final = (
    *("PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LANGUAGE", "LC_*", "TZ", "TMPDIR", "XDG_*"),
    *("SSH_AUTH_SOCK", "DISPLAY", "WAYLAND_DISPLAY", "EDITOR", "VISUAL", "LD_LIBRARY_PATH"),
    *("VIRTUAL_ENV", "CONDA_*", "PYENV_*", "PYTHONPATH", "UV_CACHE_DIR", "PIP_CACHE_DIR"),
    *("GOPATH", "GOROOT", "GOBIN", "GOMODCACHE", "GOPROXY", "CARGO_HOME", "RUSTUP_HOME", "RUSTUP_TOOLCHAIN"),
    *("JAVA_HOME", "MAVEN_HOME", "GRADLE_HOME", "GRADLE_USER_HOME", "ANDROID_HOME", "ANDROID_SDK_ROOT"),
    *("NVM_DIR", "NODE_PATH", "NPM_CONFIG_PREFIX", "PNPM_HOME", "BUN_INSTALL", "VOLTA_HOME", "DENO_DIR"),
    *("RBENV_ROOT", "GEM_HOME", "GEM_PATH", "DOTNET_ROOT", "SDKMAN_DIR", "ASDF_DIR", "ASDF_DATA_DIR"),
    *("NIX_PATH", "NIX_PROFILES", "CC", "CXX", "PKG_CONFIG_PATH", "DOCKER_HOST", "KUBECONFIG"),
    *("http_proxy", "https_proxy", "no_proxy", "all_proxy", "ftp_proxy"),
    *("HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "ALL_PROXY", "FTP_PROXY"),
    *("SSL_CERT_FILE", "SSL_CERT_DIR", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "NODE_EXTRA_CA_CERTS"),
)
"""Names and name patterns."""

FIXED: Final[Mapping[str, str]] = {
    "NO_COLOR": "1",
    "TERM": "dumb",
    "PAGER": "cat",
    "GIT_PAGER": "cat",
    "GIT_EDITOR": ":",
    "GIT_SEQUENCE_EDITOR": ":",
    "GIT_TERMINAL_PROMPT": "0",
    "DSH_SHELL": "1",
}
"""Set for every command: nothing colours, pages, or asks on a terminal that is not there.

An editor that git starts would take what is piped to git for its own commands: ``echo ':!x' | git commit``.
"""

_SECRET_NAME = re.compile(r"KEY|PASSW|PASSPHRASE|SECRET|TOKEN|CREDENTIAL", re.IGNORECASE)
_SECRET_VALUE = re.compile(
    r"""
    \bsk-[A-Za-z0-9_-]{8,}                              # model providers, payment providers
    | \b(?:gh[pousr]|github_pat)_[A-Za-z0-9_]{16,}
    | \bglpat-[A-Za-z0-9_-]{16,}
    | \bxox[abeoprs]-[A-Za-z0-9-]{8,}
    | \b(?:AKIA|ASIA)[A-Z0-9]{16}\b
    | \bAIza[A-Za-z0-9_-]{30,}
    | \b(?:hf|npm|pypi)[_-][A-Za-z0-9_-]{24,}
    | \beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.        # a signed web token
    | -----BEGIN\ [A-Z ]*PRIVATE\ KEY-----
    | (?i:\bbearer\ )\S{8,}
    | [A-Za-z][A-Za-z0-9+.-]*://[^\s/:@]*:[^\s/@]+@      # a password in a URL
    """,
    re.VERBOSE,
)
_SHORTEST_SECRET = 8
"""Characters from which on a known secret's value is looked for in other variables."""


def child_environment(
    own: Mapping[str, str], session_id: str, *, also: Iterable[str] = (), secrets: Iterable[str] = ()
) -> dict[str, str]:
    """The environment for one command.

    ``own`` is this program's environment, ``also`` the user's list of further names or patterns,
    ``secrets`` are values that must not get through under any name.
    """
    wanted = _names(tuple(also))
    hidden = [value for value in secrets if len(value) >= _SHORTEST_SECRET]
    hidden += [
        value for name, value in own.items() if is_secret_name(name) and len(value) >= _SHORTEST_SECRET
    ]
    chosen = {
        name: value
        for name, value in own.items()
        if wanted.match(name)
        and not is_secret_name(name)
        and _SECRET_VALUE.search(value) is None
        and not any(secret in value for secret in hidden)
    }
    if not {"LANG", "LC_ALL", "LC_CTYPE"} & chosen.keys():
        chosen["LANG"] = "C.UTF-8"
    return {**chosen, **FIXED, "DSH_SESSION_ID": session_id}


@lru_cache(maxsize=4)
def _names(also: tuple[str, ...]) -> re.Pattern[str]:
    """One pattern for all names: matched one by one they cost a millisecond a command."""
    return re.compile("|".join(map(translate, (*ALLOWED, *also))))


def is_secret_name(name: str) -> bool:
    """Whether a variable is called like a credential."""
    return _SECRET_NAME.search(name) is not None
