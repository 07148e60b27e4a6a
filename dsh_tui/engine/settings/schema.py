"""What settings.yaml may hold. Unknown keys are errors; every field has a default.

Imports pydantic: load it only when there is a file to check (see `loader`).
Source: design §4 (settings.yaml).
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cached_property
from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, StrictStr, model_validator
from pydantic_core import PydanticCustomError

from dsh_tui.engine.modes.mode import DEFAULT_MODE, Mode
from dsh_tui.engine.permissions.rule import EFFECTS, Effect, Rule, RuleError

MAX_LEASE_MS = 86_400_000


class _Section(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


_Amount = Annotated[float, Field(ge=0, le=1_000_000_000, allow_inf_nan=False)]


class PriceSettings(_Section):
    """What a million tokens of one model cost; without ``cached`` the cache makes nothing cheaper."""

    input: _Amount
    cached: _Amount | None = None
    output: _Amount


def _currency(text: str) -> str:
    if re.fullmatch("[A-Z]{3}", text) is None:
        raise PydanticCustomError("currency", "must be three capital letters, such as USD")
    return text


class ProviderSettings(_Section):
    """One model provider. Keys are never stored here."""

    base_url: str | None = Field(default=None, pattern=r"^https?://")
    models: tuple[str, ...] = ()
    currency: Annotated[str, AfterValidator(_currency)] = Field(
        default="USD", description="Of the bill, as in ISO 4217."
    )
    prices: dict[str, PriceSettings] = Field(default_factory=dict)
    """By model id. They come before those that a provider publishes."""


def _rule_body(effect: Effect) -> Callable[[str], str]:
    def check(body: str) -> str:
        try:
            Rule.of(effect, body)
        except RuleError as error:
            raise PydanticCustomError("rule", "{why}", {"why": error.message.rstrip(".")}) from error
        return body

    return check


class PermissionSettings(_Section):
    """Rules without their effect, for example ``bash(git status *)``."""

    allow: tuple[Annotated[StrictStr, AfterValidator(_rule_body("allow"))], ...] = ()
    ask: tuple[Annotated[StrictStr, AfterValidator(_rule_body("ask"))], ...] = ()
    deny: tuple[Annotated[StrictStr, AfterValidator(_rule_body("deny"))], ...] = ()

    @cached_property
    def rules(self) -> tuple[Rule, ...]:
        """All of them: by effect, and then in the order of the file."""
        return tuple(Rule.of(effect, body) for effect in EFFECTS for body in getattr(self, effect))


class ProjectSettings(_Section):
    """What counts of a project's own ``.dsh/settings.yaml``, once it is trusted; the rest has no effect."""

    model_config = ConfigDict(frozen=True, extra="ignore")
    permissions: PermissionSettings = PermissionSettings()


class LeaseSettings(_Section):
    """How long a writer may be silent before another may take its session over."""

    ttl_ms: int = Field(default=300_000, gt=0, le=MAX_LEASE_MS)
    renew_interval_ms: int = Field(default=240_000, gt=0, le=MAX_LEASE_MS)

    @model_validator(mode="after")
    def _renews_in_time(self) -> LeaseSettings:
        if self.renew_interval_ms >= self.ttl_ms:
            raise ValueError("renew_interval_ms must be smaller than ttl_ms")
        return self


def _folder(text: str) -> str:
    if not text.startswith(("/", "~/")) and text != "~":
        raise PydanticCustomError("folder", "must be an absolute path or begin with ~/")
    return text


class ShellSettings(_Section):
    """What commands of the agent get from the user's environment, beside the safe defaults."""

    pass_environment: tuple[str, ...] = ()


class SandboxSettings(_Section):
    """What sandbox mode lets commands and file changes reach, beside the working directory."""

    writable: tuple[Annotated[str, AfterValidator(_folder)], ...] = ()
    """Folders, absolute or from ``~``."""


class CompactionSettings(_Section):
    """When the early history gives place to a summary; shares of the model's context window."""

    auto: bool = True
    threshold: float = Field(default=0.8, gt=0, le=1)
    retain: float = Field(default=0.16, gt=0, le=0.9)

    @model_validator(mode="after")
    def _shrinks(self) -> CompactionSettings:
        if self.retain >= self.threshold:
            raise ValueError("retain must be smaller than threshold")
        return self


class NotificationSettings(_Section):
    """How a person who looks elsewhere is told that something waits for them."""

    bell: bool = True
    title: bool = True
    desktop: bool | Literal["osc9", "osc777", "osc99"] = True
    after_seconds: float = Field(default=15, ge=0, le=86_400)


def _from_flag(given: object) -> object:
    """``true`` and ``false`` stand for everything and nothing."""
    if isinstance(given, bool):
        return {"bell": given, "title": given, "desktop": given}
    return given


class Settings(_Section):
    """The user's own settings, as validated from settings.yaml."""

    model: str = Field(
        default="deepseek/deepseek-flash", min_length=1, description="PROVIDER/MODEL or MODEL."
    )
    effort: Literal["off", "low", "high", "max"] = "high"
    mode: Mode = DEFAULT_MODE
    titles: Literal["model", "words"] = "model"
    providers: dict[str, ProviderSettings] = Field(default_factory=dict)
    permissions: PermissionSettings = PermissionSettings()
    lease: LeaseSettings = LeaseSettings()
    shell: ShellSettings = ShellSettings()
    sandbox: SandboxSettings = SandboxSettings()
    compaction: CompactionSettings = CompactionSettings()
    theme: str = "dsh-dark"
    keymap: dict[str, str] = Field(default_factory=dict)
    language: Literal["auto", "en", "zh"] = "auto"
    notifications: Annotated[NotificationSettings, BeforeValidator(_from_flag)] = NotificationSettings()
    plugins: dict[str, dict[str, object]] = Field(default_factory=dict)
