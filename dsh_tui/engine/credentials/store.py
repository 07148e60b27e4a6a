"""API keys: the environment first, then ``credentials.yaml`` (0600) in the home folder.

A key is never part of a message, a log or a repr. Source: design §3.2, §3.14; capabilities G.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from dsh_tui.engine.base.atomic_file import write_atomic
from dsh_tui.engine.base.errors import HarnessError
from dsh_tui.engine.base.private_folder import keep_private
from dsh_tui.engine.base.regular_file import UnreadableError, opened_regular, read_bounded

_LARGEST: Final = 65_536
"""Bytes: many keys."""


class CredentialError(HarnessError):
    """A key can't be read, used or stored. The message never contains it."""

    code = "INVALID_CREDENTIAL"


@dataclass(frozen=True, slots=True)
class Credential:
    """A key and where it was found (for people: an environment variable or a file)."""

    value: str = field(repr=False)
    source: str


class CredentialStore:
    """Finds keys by provider name; asked anew for every request, so a new key works at once."""

    def __init__(self, path: Path, environ: Mapping[str, str]) -> None:
        self._path = path
        self._environ = environ

    def resolve(self, provider: str) -> Credential | None:
        """The key for ``provider``, or None.

        Raises:
            CredentialError: the file is there but can't be read as a mapping of names to keys.
        """
        variable = f"{provider.upper().replace('-', '_')}_API_KEY"
        value = self._environ.get(variable, "").strip()
        if value:
            return Credential(value, variable)
        value = self._stored().get(provider, "").strip()
        return Credential(value, str(self._path)) if value else None

    def save(self, provider: str, value: str) -> None:
        """Store a key, replacing the old one.

        Raises:
            CredentialError: not a key (empty, spaces or characters outside printable ASCII).
            OSError: the file can't be written.
        """
        value = value.strip()
        if not value or any(not 33 <= ord(character) <= 126 for character in value):  # printable ASCII
            raise CredentialError("that is not a key: it must be printable ASCII without spaces")
        import yaml

        entries = {**self._stored(), provider: value}
        content = yaml.safe_dump(entries, sort_keys=True).encode()
        write_atomic(Path(os.path.realpath(self._path)), content, mode=0o600)  # a link stays one

    def _stored(self) -> dict[str, str]:
        try:
            with opened_regular(self._path) as fd:
                keep_private(fd)
                content = read_bounded(fd, _LARGEST)
        except FileNotFoundError:
            return {}
        except UnreadableError as error:
            raise CredentialError(f"{self._path}: {error.message}") from error
        import yaml

        # No causes: a decoder holds the text, a parser quotes the line, and the line holds a key.
        try:
            entries = yaml.safe_load(content.decode("utf-8")) or {}
        except UnicodeDecodeError:
            raise CredentialError(f"{self._path} is not UTF-8 text: mend or remove it") from None
        except (yaml.YAMLError, ValueError, LookupError, TypeError, AttributeError, RecursionError):
            raise CredentialError(f"{self._path} is not YAML: mend or remove it") from None
        if not isinstance(entries, dict) or not all(isinstance(value, str) for value in entries.values()):
            raise CredentialError(f"{self._path} must map provider names to keys: mend or remove it")
        return {str(name): value for name, value in entries.items()}
