"""Our `dataclass` makes what the standard one makes: each shape of class is made by both, and compared."""

from __future__ import annotations

import copy
import dataclasses
import inspect
import pickle
from collections.abc import Callable
from dataclasses import FrozenInstanceError, field
from typing import Any, ClassVar, Generic, TypeVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dsh_tui.engine.base.dataclass import dataclass as ours

T = TypeVar("T")
Decorator = Callable[[type], Any]
FROZEN: dict[str, Any] = {"frozen": True, "slots": True}


class Shapes:
    """The same classes, made by one decorator. They lie in the module, so that they can be pickled."""

    def __init__(self, make: Callable[..., Decorator]) -> None:
        @make(**FROZEN)
        class Empty:
            """Nothing."""

        @make(**FROZEN)
        class One:
            value: object

        @make(**FROZEN)
        class Several:
            """Text."""

            limit: ClassVar[int] = 3
            number: int
            text: str = "a"
            items: list[int] = field(default_factory=list)
            hidden: object = field(default=None, repr=False, compare=False)
            counted: float = field(default=1.5, hash=False)

            @property
            def double(self) -> int:
                return self.number * 2

        @make(**FROZEN, kw_only=True)
        class Named:
            second: int = 2
            first: str

        @make(**FROZEN)
        class Mixed:
            first: str
            second: int = field(default=2, kw_only=True)

        @make(**FROZEN)
        class Derived:
            text: str
            size: int = field(init=False, default=7)
            parts: list[str] = field(init=False, default_factory=lambda: ["x"])
            upper: str = ""

            def __post_init__(self) -> None:
                object.__setattr__(self, "upper", self.text.upper())

        @make(**FROZEN)
        class Own:
            """It says by itself how it compares and shows."""

            text: str

            def __eq__(self, other: object) -> bool:
                return isinstance(other, Own) and self.text.lower() == other.text.lower()

            def __hash__(self) -> int:
                return hash(self.text.lower())

            def __repr__(self) -> str:
                return f"<{self.text}>"

        @make(**FROZEN)
        class OwnEqual:
            text: str

            def __eq__(self, other: object) -> bool:
                return isinstance(other, OwnEqual)

        @make(**FROZEN)
        class Box(Generic[T]):
            content: T

        @make(slots=True)
        class Changing:
            number: int = 0

        @make(**FROZEN)
        class Below(One):
            more: int = 1

        self.classes = {
            made.__name__: made
            for made in (*(Empty, One, Several, Named, Mixed, Derived, Own, OwnEqual, Box, Changing, Below),)
        }

    def __getitem__(self, name: str) -> Any:
        return self.classes[name]


STANDARD, OURS = Shapes(dataclasses.dataclass), Shapes(ours)
CALLS: list[tuple[str, tuple[Any, ...], dict[str, Any]]] = [
    ("Empty", (), {}),
    ("One", (1,), {}),
    ("Several", (1,), {}),
    ("Several", (1, "b", [2], 3, 4.0), {}),
    ("Several", (), {"number": 5, "hidden": 1}),
    ("Named", (), {"first": "x"}),
    ("Mixed", ("x",), {"second": 3}),
    ("Derived", ("x",), {}),
    ("Own", ("A",), {}),
    ("OwnEqual", ("A",), {}),
    ("Box", ((1, 2),), {}),
    ("Changing", (), {}),
    ("Below", (1,), {"more": 2}),
]
WRONG: list[tuple[str, tuple[Any, ...], dict[str, Any]]] = [
    ("Empty", (1,), {}),
    ("One", (), {}),
    ("Several", (), {}),
    ("Several", (1,), {"other": 1}),
    ("Named", ("x",), {}),
    ("Derived", ("x",), {"size": 3}),
]


def instances(call: tuple[str, tuple[Any, ...], dict[str, Any]]) -> tuple[Any, Any]:
    name, positional, named = call
    return STANDARD[name](*positional, **named), OURS[name](*positional, **named)


def hash_of(value: object) -> int | str:
    try:
        return hash(value)
    except TypeError as error:
        return str(error)


@pytest.mark.parametrize("call", CALLS, ids=str)
def test_instances_show_compare_and_hash_alike(call: tuple[str, tuple[Any, ...], dict[str, Any]]) -> None:
    standard, made = instances(call)
    again = instances(call)
    assert repr(made) == repr(standard)
    assert (made == again[1]) is (standard == again[0])
    assert made != standard
    assert (hash_of(made) == hash_of(again[1])) is (hash_of(standard) == hash_of(again[0]))
    assert isinstance(hash_of(made), int) is isinstance(hash_of(standard), int)
    assert dataclasses.asdict(made) == dataclasses.asdict(standard)
    assert repr(copy.deepcopy(made)) == repr(copy.copy(made)) == repr(standard)


@pytest.mark.parametrize("name", sorted(STANDARD.classes))
def test_classes_look_alike(name: str) -> None:
    standard, made = STANDARD[name], OURS[name]
    assert (
        inspect.signature(made.__init__).parameters.keys()
        == inspect.signature(standard.__init__).parameters.keys()
    )
    for ours_is, theirs in zip(
        inspect.signature(made.__init__).parameters.values(),
        inspect.signature(standard.__init__).parameters.values(),
        strict=True,
    ):
        assert (ours_is.kind, ours_is.annotation) == (theirs.kind, theirs.annotation)
        assert (ours_is.default is inspect.Parameter.empty) is (theirs.default is inspect.Parameter.empty)
    assert [one.name for one in dataclasses.fields(made)] == [
        one.name for one in dataclasses.fields(standard)
    ]
    assert made.__match_args__ == standard.__match_args__
    assert made.__slots__ == standard.__slots__
    assert made.__dataclass_params__.frozen is standard.__dataclass_params__.frozen
    assert made.__init__.__qualname__ == standard.__init__.__qualname__


@pytest.mark.parametrize("call", WRONG, ids=str)
def test_wrong_arguments_are_refused_in_the_same_words(
    call: tuple[str, tuple[Any, ...], dict[str, Any]],
) -> None:
    name, positional, named = call
    with pytest.raises(TypeError) as theirs:
        STANDARD[name](*positional, **named)
    with pytest.raises(TypeError) as made:
        OURS[name](*positional, **named)
    assert str(made.value) == str(theirs.value)


@pytest.mark.parametrize("call", [call for call in CALLS if call[0] not in ("Changing", "Empty")], ids=str)
def test_nothing_of_a_frozen_instance_changes(call: tuple[str, tuple[Any, ...], dict[str, Any]]) -> None:
    for made in instances(call):
        name = dataclasses.fields(made)[0].name
        before = getattr(made, name)
        with pytest.raises(FrozenInstanceError, match=f"cannot assign to field '{name}'"):
            setattr(made, name, 2)
        with pytest.raises(FrozenInstanceError, match=f"cannot delete field '{name}'"):
            delattr(made, name)
        assert getattr(made, name) is before
        with pytest.raises((AttributeError, TypeError)):
            made.another = 1


def test_a_default_list_is_made_for_each_and_a_shared_one_is_refused() -> None:
    several = OURS["Several"]
    assert several(1).items is not several(1).items
    with pytest.raises(ValueError, match="mutable default"):

        @ours(frozen=True, slots=True)
        class _Wrong:
            items: list[int] = []  # noqa: RUF012  # what is refused


def test_copies_with_changes_are_checked_and_finished_like_new_ones() -> None:
    derived = OURS["Derived"]("x")
    assert dataclasses.replace(derived, text="y").upper == "Y"
    with pytest.raises(TypeError):
        dataclasses.replace(derived, nothing=1)


@ours(frozen=True, slots=True)
class Kept:
    """Can be found by name, for pickling."""

    text: str
    numbers: tuple[int, ...] = ()


class Child(Kept):
    """No dataclass itself: it may keep more."""


@given(st.builds(Kept, st.text(), st.tuples(st.integers())))
def test_pickled_and_read_again_it_is_the_same(kept: Kept) -> None:
    assert pickle.loads(pickle.dumps(kept)) == kept
    match kept:
        case Kept(text, numbers):
            assert (text, numbers) == (kept.text, kept.numbers)


def test_a_child_that_is_no_dataclass_keeps_what_it_adds_and_no_more() -> None:
    child = Child("a")
    child.more = 1  # type: ignore[attr-defined]  # what is tested
    assert child.more == 1  # type: ignore[attr-defined]  # what is tested
    with pytest.raises(FrozenInstanceError):
        child.text = "b"  # type: ignore[misc]  # what is tested
    assert child != Kept("a")
    assert child == Child("a")


def test_one_that_holds_itself_can_be_shown() -> None:
    several = OURS["Several"](1)
    several.items.append(several)
    assert repr(several).endswith("items=[...], counted=1.5)")
