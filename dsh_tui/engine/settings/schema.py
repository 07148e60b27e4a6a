"""What settings.yaml may hold. Unknown keys are errors; every field has a default.

Imports pydantic: load it only when there is a file to check (see `loader`).
Source: design §4 (settings.yaml).
"""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

MAX_LEASE_MS = 86_400_000


class _Section(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class ProviderSettings(_Section):
    """One model provider. Keys are never stored here."""

    base_url: str | None = Field(default=None, pattern=r"^https?://")
    models: tuple[str, ...] = ()


class PermissionSettings(_Section):
    """Rules as text, for example ``bash(git status *)``."""

    allow: tuple[str, ...] = ()
    ask: tuple[str, ...] = ()
    deny: tuple[str, ...] = ()


class LeaseSettings(_Section):
    """How long a writer may be silent before another may take its session over."""

    ttl_ms: int = Field(default=300_000, gt=0, le=MAX_LEASE_MS)
    renew_interval_ms: int = Field(default=240_000, gt=0, le=MAX_LEASE_MS)

    @model_validator(mode="after")
    def _renews_in_time(self) -> LeaseSettings:
        if self.renew_interval_ms >= self.ttl_ms:
            raise ValueError("renew_interval_ms must be smaller than ttl_ms")
        return self


class ShellSettings(_Section):
    """What commands of the agent get from the user's environment, beside the safe defaults."""

    pass_environment: tuple[str, ...] = ()


class Settings(_Section):
    """The user's own settings, as validated from settings.yaml."""

    model: str = Field(
        default="deepseek/deepseek-flash", min_length=1, description="PROVIDER/MODEL or MODEL."
    )
    effort: Literal["off", "low", "high", "max"] = "high"
    mode: Literal["ask", "edits", "plan", "full"] = "ask"
    titles: Literal["model", "words"] = "model"
    providers: dict[str, ProviderSettings] = Field(default_factory=dict)
    permissions: PermissionSettings = PermissionSettings()
    lease: LeaseSettings = LeaseSettings()
    shell: ShellSettings = ShellSettings()
    theme: str = "dsh-dark"
    keymap: dict[str, str] = Field(default_factory=dict)
    language: Literal["auto", "en", "zh"] = "auto"
    notifications: bool = True
    plugins: dict[str, dict[str, object]] = Field(default_factory=dict)
