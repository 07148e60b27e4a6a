"""Frozen JSON: what the log holds is shared by everybody and changed by nobody.

A ``dict`` subclass with blocked mutators plus tuples, because ``MappingProxyType``
breaks ``json.dumps``, ``deepcopy`` and pickle. `freeze` also checks: only values
that survive a trip through JSON unchanged may enter the log.
Source: spec core §3 (lossless JSON), §12 (traps measured).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, NoReturn, TypeAlias, TypeVar, cast

from dsh_tui.engine.base.errors import HarnessError

Json: TypeAlias = "None | bool | int | float | str | Sequence[Json] | Mapping[str, Json]"
JsonObject: TypeAlias = Mapping[str, Any]  # Any: the shape is the event type's, checked at append

T = TypeVar("T")

MAX_SAFE_INT = 2**53 - 1  # beyond it other JSON readers round
MAX_DEPTH = 200


class LosslessError(HarnessError):
    """A value that JSON would change or refuse; the message names the path to it."""

    code = "NOT_LOSSLESS"


def _blocked(self: object, *_args: object, **_kwargs: object) -> NoReturn:
    raise TypeError("frozen: log data is never changed; build a new value")


class FrozenDict(dict[str, Any]):  # Any: holds whatever JSON holds
    """A dict that cannot be changed. Equal to, and dumped like, a plain dict."""

    __slots__ = ()
    __setitem__ = __delitem__ = __ior__ = _blocked
    clear = pop = popitem = setdefault = update = _blocked

    def __hash__(self) -> int:  # type: ignore[override]  # identity: contents may hold floats and be large
        return id(self)

    def __copy__(self) -> FrozenDict:
        return self

    def __deepcopy__(self, _memo: object) -> FrozenDict:
        return self

    def __reduce__(self) -> tuple[object, ...]:
        return (FrozenDict, (dict(self),))


def freeze(value: T, *, path: str = "$") -> T:
    """A deeply frozen copy of a JSON value; already frozen parts are shared.

    Returns the same static type, so that TypedDicts stay TypedDicts.

    Raises:
        LosslessError: not exactly JSON (NaN, −0.0, ints beyond 2^53, other types,
            non-string keys, cycles or more than 200 levels).
    """
    return cast("T", _freeze(value, path, 0))


def _freeze(value: object, path: str, depth: int) -> object:
    kind = type(value)
    if kind is str or kind is bool or value is None or kind is FrozenDict:
        return value
    if kind is int:
        if not -MAX_SAFE_INT <= cast("int", value) <= MAX_SAFE_INT:
            raise LosslessError(f"{path}: an integer beyond 2^53 would be rounded by other readers")
        return value
    if kind is float:
        number = cast("float", value)
        if not math.isfinite(number) or (number == 0 and math.copysign(1, number) < 0):
            raise LosslessError(f"{path}: {number!r} has no JSON form")
        return value
    if depth > MAX_DEPTH:
        raise LosslessError(f"{path[:80]}: nested more than {MAX_DEPTH} levels deep, or a cycle")
    if kind is dict:
        frozen: dict[str, object] = {}
        for key, item in cast("dict[object, object]", value).items():
            if type(key) is not str:
                raise LosslessError(f"{path}: key {key!r} is not a string")
            frozen[key] = _freeze(item, f"{path}.{key}", depth + 1)
        return FrozenDict(frozen)
    if kind is list or kind is tuple:
        items = cast("Sequence[object]", value)
        return tuple(_freeze(item, f"{path}[{index}]", depth + 1) for index, item in enumerate(items))
    raise LosslessError(f"{path}: {kind.__name__} is not JSON")


def thaw(value: Any) -> Any:  # Any: the inverse of freeze for any JSON value
    """A deep, mutable copy made of plain dicts and lists."""
    if isinstance(value, dict):
        return {key: thaw(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [thaw(item) for item in value]
    return value
