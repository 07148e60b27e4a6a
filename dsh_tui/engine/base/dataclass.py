"""`dataclass` of the standard library, with frozen slotted ones made in a third of the time.

The standard one compiles six functions for every frozen class, and a start makes two hundred such
classes: a quarter of its time. Here only ``__init__`` is compiled for each; the other five are plain
functions that all of them share. Whatever else is asked for, and whatever inherits fields, the
standard one makes. What comes out behaves the same, and type checkers see the standard one only.
`InitVar` is not supported.
"""

from __future__ import annotations

import dataclasses
import sys
from collections.abc import Callable
from dataclasses import MISSING, Field, FrozenInstanceError
from operator import attrgetter
from reprlib import recursive_repr
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dataclasses import dataclass as dataclass
else:

    def dataclass(cls=None, /, **options):
        """Make the class, or a decorator that will."""

        def make(cls):
            inherits = any(hasattr(base, "__dataclass_fields__") for base in cls.__bases__)
            if inherits or not (options.keys() <= _KNOWN and options.get("frozen") and options.get("slots")):
                return dataclasses.dataclass(cls, **options)
            return _frozen_slotted(cls, kw_only=options.get("kw_only", False))

        return make if cls is None else make(cls)


_KNOWN = {"frozen", "slots", "kw_only"}


def _frozen_slotted(cls: type, *, kw_only: bool) -> type:
    cls.__doc__ = cls.__doc__ or cls.__name__  # else its signature would be worked out, to stand there
    own = set(vars(cls)) - ({"__hash__"} if vars(cls).get("__hash__") is None else set())
    standard = dataclasses.dataclass(init=False, repr=False, eq=False, slots=True, kw_only=kw_only)
    made: Any = standard(cls)  # Any: gets its methods here
    made.__dataclass_params__.frozen = True  # what inherits from it is told so
    fields = dataclasses.fields(made)
    made.__dataclass_compared__ = _values_of([field.name for field in fields if field.compare])
    made.__dataclass_hashed__ = _values_of(
        [field.name for field in fields if (field.compare if field.hash is None else field.hash)]
    )
    for name, method in _SHARED.items():
        if name not in own:
            setattr(made, name, method)
    if "__init__" not in own:
        made.__init__ = _init(made, fields)
    result: type = made
    return result


def _values_of(names: list[str]) -> staticmethod[[object], tuple[object, ...]]:
    """A function that gives the values of these fields, to be kept in the class."""
    if not names:
        return staticmethod(lambda _self: ())
    values = attrgetter(*names)
    return staticmethod(values if len(names) > 1 else lambda self: (values(self),))


def _init(cls: type, fields: tuple[Field[Any], ...]) -> Callable[..., None]:  # Any: fields of all types
    """Compile ``__init__``. A frozen instance is filled through its slots."""
    known: dict[str, object] = {"_MISSING": MISSING}
    given, keywords = ["self"], list[str]()
    body: list[str] = []
    for field in fields:
        name = field.name
        value, parameter = name, name
        known[f"_set_{name}"] = getattr(cls, name).__set__
        if field.default is not MISSING:
            known[f"_default_{name}"] = field.default
            value, parameter = (name if field.init else f"_default_{name}"), f"{name}=_default_{name}"
        elif field.default_factory is not MISSING:
            known[f"_make_{name}"] = field.default_factory
            parameter = f"{name}=_MISSING"
            value = f"_make_{name}() if {name} is _MISSING else {name}" if field.init else f"_make_{name}()"
        elif not field.init:
            continue
        if field.init:
            (keywords if field.kw_only else given).append(parameter)
        body.append(f"_set_{name}(self, {value})")
    if hasattr(cls, "__post_init__"):
        body.append("self.__post_init__()")
    parameters = ", ".join([*given, *(["*", *keywords] if keywords else [])])
    lines = "\n  ".join(body or ["pass"])
    source = f"def make({', '.join(known)}):\n def __init__({parameters}):\n  {lines}\n return __init__"
    made: dict[str, Any] = {}  # Any: the one function
    exec(source, vars(sys.modules[cls.__module__]), made)  # noqa: S102  # as the standard one does
    init: Callable[..., None] = made["make"](**known)
    init.__qualname__ = f"{cls.__qualname__}.__init__"
    init.__annotations__ = {field.name: field.type for field in fields if field.init} | {"return": None}
    return init


@recursive_repr()
def _repr(self: Any) -> str:  # Any, here and below: an instance of any such class
    shown = [
        f"{field.name}={getattr(self, field.name)!r}" for field in dataclasses.fields(self) if field.repr
    ]
    return f"{type(self).__qualname__}({', '.join(shown)})"


def _eq(self: Any, other: Any) -> object:  # a bool, or NotImplemented
    """By tuples, so that a NaN equals itself; since 3.13 the standard one looks at the fields themselves."""
    if other.__class__ is not self.__class__:
        return NotImplemented
    values = self.__dataclass_compared__
    return values(self) == values(other)


def _hash(self: Any) -> int:
    return hash(self.__dataclass_hashed__(self))


def _setattr(self: Any, name: str, value: object) -> None:
    if name in self.__dataclass_fields__ or "__dataclass_compared__" in vars(type(self)):
        raise FrozenInstanceError(f"cannot assign to field {name!r}")
    object.__setattr__(self, name, value)  # of a class that inherits, and is no dataclass itself


def _delattr(self: Any, name: str) -> None:
    if name in self.__dataclass_fields__ or "__dataclass_compared__" in vars(type(self)):
        raise FrozenInstanceError(f"cannot delete field {name!r}")
    object.__delattr__(self, name)


def _getstate(self: Any) -> list[object]:
    return [getattr(self, field.name) for field in dataclasses.fields(self)]


def _setstate(self: Any, state: list[object]) -> None:
    for field, value in zip(dataclasses.fields(self), state, strict=True):
        object.__setattr__(self, field.name, value)


_SHARED: dict[str, Callable[..., object]] = {
    "__repr__": _repr,
    "__eq__": _eq,
    "__hash__": _hash,
    "__setattr__": _setattr,
    "__delattr__": _delattr,
    "__getstate__": _getstate,
    "__setstate__": _setstate,
}
