"""The plugins of projects: mounted while an agent works there, and only what is trusted.

Each project has a scope that is the parent of its agents' scopes, so what its plugins register is seen
by those agents and by no other. A plugin that changed keeps running as it was until it is trusted
again; revoked, it is unloaded at once. Source: design §3.14, §3.20; core spec §2.
"""

from __future__ import annotations

import asyncio
import hashlib
import os
from collections.abc import Callable, Collection, Mapping
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Final

from dsh_tui.engine.agent.agent import Agent
from dsh_tui.engine.kernel import Context, ServiceKey
from dsh_tui.engine.plugin_folder.folder import Found, PluginFolder, PluginRecord
from dsh_tui.engine.plugin_folder.source import PluginSource
from dsh_tui.engine.scope import ScopeHandle, create_scope
from dsh_tui.engine.trust.layout import PLUGINS as PLUGINS_PATH
from dsh_tui.engine.trust.manifest import Entry
from dsh_tui.engine.trust.service import TRUST_CHANGED, Trust

CHANGED: Final = "changed since it was trusted"
TAKEN: Final = "a plugin of your own has this name; yours runs"


class _Place:
    """One project: the key of its scope, its plugins, and who works there."""

    folder: PluginFolder

    def __init__(self, ctx: Context, project: Path) -> None:
        self.project = project
        self.scope = create_scope(ctx, self)
        self.agents: dict[str, ScopeHandle] = {}
        self.is_kept = False
        """Whether it stays without agents."""
        self.stands = False
        """Whether its plugins were mounted once."""
        self.signature: object = None
        """Of what `ProjectPlugins.look` saw last."""
        self.own_names: frozenset[str] = frozenset()
        self.moving = asyncio.Lock()

    def __repr__(self) -> str:
        return f"project {self.project}"


class ProjectPlugins:
    """Follows agents to their projects. Published under `PROJECT_PLUGINS`."""

    def __init__(
        self,
        ctx: Context,
        trust: Trust,
        configs: Mapping[str, object],
        own_names: Callable[[], Collection[str]],
    ) -> None:
        self._ctx, self._trust, self._configs, self._own_names = ctx, trust, configs, own_names
        self._places: dict[Path, _Place] = {}

    def records(self) -> tuple[PluginRecord, ...]:
        """All plugins of all open projects."""
        return tuple(record for place in self._places.values() for record in place.folder.records())

    async def keep(self, project: Path) -> None:
        """Mount what a project has and is trusted, for as long as this service lives."""
        place = self._open(project)
        place.is_kept = True
        await self._sync(place)

    async def sync(self, project: Path) -> None:
        """Bring an open project in line with its files and with what is trusted."""
        place = self._places.get(Path(os.path.realpath(project)))
        if place is not None:
            await self._sync(place)

    async def look(self) -> None:
        """`sync` where anything has changed, and tell it."""
        for place in list(self._places.values()):
            files = await asyncio.to_thread(self._trust.signature, place.project)
            signature = (files, frozenset(self._own_names()))
            if signature != place.signature:
                place.signature = signature
                await self._sync(place)
                self._ctx.root.emit(TRUST_CHANGED, place.project)

    # Agents

    def enter(self, agent: Agent) -> None:
        """An agent works in its project from now on; `ready` waits for what that has."""
        if agent.session.cwd is not None:
            self._bind(agent, self._open(Path(agent.session.cwd)))

    async def leave(self, agent: Agent) -> None:
        """It works nowhere any more."""
        place = next((one for one in self._places.values() if agent.id in one.agents), None)
        if place is not None:
            await place.agents.pop(agent.id).dispose()
            await self._close_if_empty(place)

    async def ready(self, agent: Agent) -> None:
        """Return when the plugins of the agent's project stand; it may have moved to another."""
        cwd = agent.session.cwd
        if cwd is None:
            return
        place = self._open(Path(cwd))
        if agent.id not in place.agents:
            await self.leave(agent)
            place = self._open(Path(cwd))
            self._bind(agent, place)
        if not place.stands:
            await self._sync(place)

    def _bind(self, agent: Agent, place: _Place) -> None:
        place.agents[agent.id] = create_scope(self._ctx, agent, parent=place)

    # Places

    def _open(self, project: Path) -> _Place:
        root = Path(os.path.realpath(project))
        place = self._places.get(root)
        if place is None:
            place = self._places[root] = _Place(self._ctx, root)
            find = partial(self._find, place)
            place.folder = PluginFolder(place.scope.ctx, root / PLUGINS_PATH, self._configs, find=find)
        return place

    async def _close_if_empty(self, place: _Place) -> None:
        if place.agents or place.is_kept or self._places.get(place.project) is not place:
            return
        del self._places[place.project]
        async with place.moving:  # what is being mounted there must be there to be unmounted
            await place.scope.dispose()

    async def _sync(self, place: _Place) -> None:
        async with place.moving:
            if self._places.get(place.project) is not place:
                return  # everybody left meanwhile
            place.own_names = frozenset(self._own_names())
            await place.folder.sync()
            place.stands = True

    def _find(self, place: _Place) -> Found:
        project = place.project
        standing = self._trust.standing(self._trust.manifest(project))
        sources: dict[str, PluginSource] = {}
        refused: dict[str, PluginRecord] = {}
        for source in _sources(project, standing.trusted):
            if source.name in place.own_names:
                refused[source.name] = PluginRecord(
                    name=source.name, path=source.path, state="failed", error=f"{source.path}: {TAKEN}"
                )
            else:
                sources[source.name] = source
        changed = {source.name: f"{source.path}: {CHANGED}" for source in _sources(project, standing.changed)}
        return Found(sources, changed, refused)


def _sources(project: Path, entries: Collection[Entry]) -> list[PluginSource]:
    realm = f"_{hashlib.sha256(os.fsencode(project)).hexdigest()[:12]}"
    found: list[PluginSource] = []
    for entry in entries:
        if entry.kind != "plugin":
            continue
        path = project / entry.path
        is_file = path.suffix == ".py"
        found.append(
            PluginSource(
                name=path.stem if is_file else path.name,
                path=path if is_file else path / "__init__.py",
                contents=MappingProxyType({project / file.path: file.content for file in entry.files}),
                digest=entry.digest,
                realm=realm,
                is_sealed=True,
            )
        )
    return found


PROJECT_PLUGINS: ServiceKey[ProjectPlugins] = ServiceKey("project-plugins")
