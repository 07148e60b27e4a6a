"""What may be mounted: a function, or a thing with an ``apply``; and how its config is checked.

``name``, ``inject`` and ``Config`` are read from the function, object, class or module.
Pydantic is met by its shape only, never imported: the kernel is loaded before first paint.
Source: core spec §1 (Plugin forms, Config).
"""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, cast

from dsh_tui.engine.base.errors import error_chain
from dsh_tui.engine.kernel.errors import ConfigError, KernelError
from dsh_tui.engine.kernel.keys import ServiceKey

if TYPE_CHECKING:
    from dsh_tui.engine.kernel.context import Context

Apply: TypeAlias = "Callable[[Context, Any], object]"  # Any: each plugin's own config type


class PluginObject(Protocol):
    """A module, class or object with an ``apply``; ``name``, ``inject`` and ``Config`` are optional."""

    @property
    def apply(self) -> Apply: ...


Plugin: TypeAlias = "Apply | PluginObject"


@dataclass(frozen=True, slots=True)
class PluginForm:
    """A plugin, whatever its form was."""

    name: str
    apply: Apply
    inject: Mapping[ServiceKey[Any], object]  # Any: keys of all types
    config_type: Any  # Any: a pydantic model, a dataclass or a callable; told apart in `validate`

    def begin(self, ctx: Context, config: object) -> Any:  # Any: an effect's result, looked at there
        """Run the plugin. A class's instance is its own business, not an undo."""
        result = self.apply(ctx, config)
        return None if inspect.isclass(self.apply) else result

    def validate(self, config: object) -> object:
        """The config as the plugin wants it.

        Raises:
            ConfigError: the plugin's ``Config`` refused it.
        """
        kind = self.config_type
        if kind is None or (isinstance(kind, type) and isinstance(config, kind)):
            return config
        given = {} if config is None else config
        try:
            if hasattr(kind, "model_validate"):
                return cast("object", kind.model_validate(given))
            if dataclasses.is_dataclass(kind) and isinstance(given, Mapping):
                return cast("Callable[..., object]", kind)(**given)
            return cast("object", kind(given))
        except Exception as error:  # a validator may raise anything; all of it means "refused"
            raise ConfigError(f"{self.name}: invalid config: {error_chain(error)}") from error


def read_plugin(plugin: Plugin) -> PluginForm:
    """Look at a plugin.

    Raises:
        KernelError: ``INVALID_PLUGIN``, when it has no form that can be mounted.
    """
    name = _name_of(plugin)
    apply = getattr(plugin, "apply", None)
    if apply is None:
        apply = plugin
    elif inspect.isclass(plugin) and inspect.isfunction(inspect.getattr_static(plugin, "apply")):
        raise KernelError(f"{name}: mount an instance, its apply() is a method", code="INVALID_PLUGIN")
    if not callable(apply):
        raise KernelError(
            f"{name}: a plugin is a function (ctx, config) or has an apply(ctx, config)",
            code="INVALID_PLUGIN",
        )
    return PluginForm(name, apply, _inject_of(plugin, name), getattr(plugin, "Config", None))


def _name_of(plugin: object) -> str:
    for candidate in (getattr(plugin, "name", None), getattr(plugin, "__name__", None)):
        if isinstance(candidate, str) and candidate:
            return candidate
    return type(plugin).__name__


def _inject_of(plugin: object, name: str) -> Mapping[ServiceKey[Any], object]:  # Any: keys of all types
    declared: object = getattr(plugin, "inject", ())
    if isinstance(declared, Mapping):
        inject = dict(declared)
    elif isinstance(declared, Sequence) and not isinstance(declared, str):
        inject = dict.fromkeys(declared)
    else:
        raise KernelError(f"{name}: inject must list service keys", code="INVALID_PLUGIN")
    for key in inject:
        if not isinstance(key, ServiceKey):
            raise KernelError(f"{name}: inject holds {key!r}, not a ServiceKey", code="INVALID_PLUGIN")
    return inject
