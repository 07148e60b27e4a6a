"""The service: what of a project counts, and the answers that make it so.

Trust is entry by entry: a file that is as it was when it was trusted keeps its effect, whatever happens
beside it; one that is new or has changed has none until it is trusted. It is kept for exactly one
directory: that of a parent says nothing of a child. Source: design §3.14.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType

from dsh_tui.engine.base.to_the_end import to_the_end
from dsh_tui.engine.kernel import Context, Emit, ServiceKey
from dsh_tui.engine.trust.layout import SETTINGS
from dsh_tui.engine.trust.manifest import Entry, EntryFile, Kind, Manifest
from dsh_tui.engine.trust.project_files import LARGEST_SETTINGS, files_signature, read_manifest
from dsh_tui.engine.trust.reading import UnreadableError, read_inside
from dsh_tui.engine.trust.store import NOTHING, Pins, ProjectTrust, TrustStore


@dataclass(frozen=True, slots=True)
class Standing:
    """How the entries of a manifest stand."""

    trusted: tuple[Entry, ...]
    """As they were when they were trusted: these take effect."""
    changed: tuple[Entry, ...]
    """Trusted once with another content."""
    new: tuple[Entry, ...]
    declined: bool
    """Whether the user does not want to be asked about just these."""

    @property
    def pending(self) -> tuple[Entry, ...]:
        """What would take effect if it were trusted now."""
        return (*self.changed, *self.new)


class Trust:
    """Answers for projects. Everything but the answers blocks for a few file reads."""

    def __init__(self, ctx: Context, store: TrustStore, *, own_home: Path | None = None) -> None:
        self._ctx, self._store, self._own_home = ctx, store, own_home

    @property
    def fault(self) -> str:
        """Why nothing is trusted; empty when the store is in order."""
        return self._store.fault

    def manifest(self, project: Path) -> Manifest:
        """All that the project brings, trusted or not."""
        return read_manifest(project, own_home=self._own_home)

    def standing(self, manifest: Manifest) -> Standing:
        """Which of it counts."""
        record = self._store.of(manifest.project)
        trusted: list[Entry] = []
        changed: list[Entry] = []
        new: list[Entry] = []
        for entry in manifest.entries:
            pin = record.trusted.get(entry.key)
            (new if pin is None else trusted if pin == entry.digest else changed).append(entry)
        pending = (*changed, *new)
        declined = bool(pending) and all(record.declined.get(one.key) == one.digest for one in pending)
        return Standing(tuple(trusted), tuple(changed), tuple(new), declined)

    def is_trusted(self, project: Path) -> bool:
        """Whether everything that the project brings counts; so it is where a project brings nothing."""
        return not self.standing(self.manifest(project)).pending

    def project_settings(self, project: Path) -> bytes | None:
        """The rules file, if its content is trusted; these bytes and no others are to be parsed."""
        root = Path(os.path.realpath(project))
        pin = self._store.of(root).trusted.get(_key("rules", SETTINGS))
        if pin is None:
            return None
        try:
            content = read_inside(root / SETTINGS, root, LARGEST_SETTINGS)
        except (FileNotFoundError, UnreadableError):
            return None
        return content if _settings(content).digest == pin else None

    def signature(self, project: Path) -> object:
        """Equal as long as neither the project's files nor the store can have changed. Quick."""
        return self._store.signature(), files_signature(Path(os.path.realpath(project)))

    async def trust(self, manifest: Manifest) -> None:
        """Let everything in the manifest take effect, as it stands in the manifest.

        Raises:
            TrustError: it could not be kept; nothing is trusted by it.
        """
        pins = {entry.key: entry.digest for entry in manifest.entries}
        await self._update(manifest.project, trusted=pins)

    async def decline(self, manifest: Manifest) -> None:
        """Do not ask about just this content again. Raises as `trust` does."""
        pins = {entry.key: entry.digest for entry in self.standing(manifest).pending}
        await self._update(manifest.project, declined=pins)

    async def pin_settings(self, project: Path, content: bytes) -> None:
        """The user has just written the project's rules through this program. Raises as `trust` does.

        Only for a file that was trusted before, or was not there.
        """
        entry = _settings(content)
        await self._update(Path(os.path.realpath(project)), trusted={entry.key: entry.digest})

    async def revoke(self, project: Path) -> None:
        """Trust nothing of the project any more. Raises as `trust` does."""
        root = Path(os.path.realpath(project))
        await to_the_end(lambda: self._store.update(root, lambda _record: NOTHING))
        self._tell(root)

    async def _update(
        self,
        project: Path,
        *,
        trusted: Mapping[str, str] | None = None,
        declined: Mapping[str, str] | None = None,
    ) -> None:
        def edit(record: ProjectTrust) -> ProjectTrust:
            return replace(
                record,
                trusted=_joined(record.trusted, trusted),
                declined=_joined(record.declined, declined),
            )

        await to_the_end(lambda: self._store.update(project, edit))
        self._tell(project)

    def _tell(self, project: Path) -> None:
        self._ctx.root.emit(TRUST_CHANGED, project)


def _joined(before: Pins, added: Mapping[str, str] | None) -> Pins:
    return MappingProxyType({**before, **(added or {})})


def _settings(content: bytes) -> Entry:
    return Entry("rules", SETTINGS, (EntryFile(SETTINGS, content),))


def _key(kind: Kind, path: str) -> str:
    return f"{kind} {path}"


TRUST: ServiceKey[Trust] = ServiceKey("trust")
TRUST_CHANGED: Emit[[Path]] = Emit("trust/change")
"""What a project brings, or what of it is trusted, is another than before."""
