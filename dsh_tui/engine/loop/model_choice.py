"""Which model the next request asks: an explicit option, else the log's last word, else the default.

A selection made while the agent lives outranks all three and holds from the next step on. Once an
instance has sent a request, the header it logged is the basis, so that what a listener of
``agent/request`` chose stays chosen.

Source: core spec §8.3.5; capabilities A2.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast

from dsh_tui.engine.agent.agent import AgentOptions
from dsh_tui.engine.agent.errors import ModelNotChosenError
from dsh_tui.engine.base.frozen import freeze
from dsh_tui.engine.llm.config import CallConfig
from dsh_tui.engine.session.event import Event
from dsh_tui.engine.session.session import Session


@dataclass(frozen=True, slots=True)
class _Target:
    provider: str
    model: str
    effort: str | None


class ModelChoice:
    """The model of one agent, over its life."""

    def __init__(self, session: Session, options: AgentOptions, default: AgentOptions) -> None:
        self._session = session
        self._max_tokens = options.max_tokens
        self._initial = _resolve(options, _logged(session), default)
        self._selected: _Target | None = None
        self._offered: _Target | None = None
        self._used = False

    @property
    def current(self) -> AgentOptions:
        """What the next request asks, unless a listener of ``agent/request`` changes it."""
        target = self._selected or (_of_header(self._session) if self._used else self._initial)
        if target is None:
            return AgentOptions(max_tokens=self._max_tokens)
        return AgentOptions(
            provider=target.provider, model=target.model, effort=target.effort, max_tokens=self._max_tokens
        )

    def select(self, provider: str, model: str, effort: str | None) -> None:
        """From the next request on, this one."""
        self._selected = _Target(provider, model, effort)

    def seed(self) -> CallConfig:
        """The config that ``agent/request`` starts from, frozen.

        Raises:
            ModelNotChosenError: nobody names a model.
        """
        self._offered = self._selected
        header = self._session.request_header
        if self._used and header is not None:
            if self._selected is None:
                return header["config"]
            return cast("CallConfig", freeze(_with_target(header["config"], self._selected)))
        target = self._selected or self._initial
        if target is None:
            raise ModelNotChosenError(
                "no model is chosen: name one with -m PROVIDER/MODEL, or in settings.yaml"
            )
        config = _with_target({}, target)
        if self._max_tokens is not None:
            config["maxTokens"] = self._max_tokens
        return cast("CallConfig", freeze(config))

    def settled(self) -> None:
        """The header made from the last seed is logged: from here the log knows the selection."""
        self._used = True
        if self._selected is self._offered:  # one made since is for the next request
            self._selected = None


def _with_target(config: Mapping[str, Any], target: _Target) -> dict[str, Any]:  # Any: JSON
    changed = {**config, "provider": target.provider, "model": target.model}
    changed.pop("reasoningEffort", None)
    if target.effort is not None:
        changed["reasoningEffort"] = target.effort
    return changed


def _resolve(options: AgentOptions, logged: _Target | None, default: AgentOptions) -> _Target | None:
    """Each of provider and model from the first who names it; the effort goes with the model."""
    if logged is None:
        logged = _target(default.provider, default.model, default.effort)
    if options.model is None:
        basis = logged
    else:
        provider = options.provider or (logged.provider if logged else None) or default.provider
        same = logged is not None and (logged.provider, logged.model) == (provider, options.model)
        basis = _target(provider, options.model, logged.effort if logged and same else default.effort)
    if basis is None or options.effort is None:
        return basis
    return _Target(basis.provider, basis.model, options.effort)


def _target(provider: str | None, model: str | None, effort: str | None) -> _Target | None:
    return None if provider is None or model is None else _Target(provider, model, effort)


def _logged(session: Session) -> _Target | None:
    """The log's last word: a selection, or the header of a later request. Read once, at creation."""
    for row in reversed(session.events.slots()):
        if not isinstance(row, Event):
            continue
        if row.type == "model/selected":
            return _Target(row.data["provider"], row.data["model"], row.data.get("effort"))
        if row.type in ("request/header", "request/header-delta"):
            break
    return _of_header(session)


def _of_header(session: Session) -> _Target | None:
    header = session.request_header
    if header is None:
        return None
    config = header["config"]
    return _Target(config["provider"], config["model"], config.get("reasoningEffort"))
