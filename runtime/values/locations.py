"""Locations of values: attributes, dict items, and the contents of lists and closure cells."""

from __future__ import annotations

import types
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from ..core.undefined import Undefined


@dataclass(frozen=True)
class Location:
    """An attribute of an object, an item of a dict, or the contents of a list or cell.

    `label` is the display name of a cell.
    """

    owner: Any
    key: Any
    label: str = ""

    def __hash__(self) -> int:
        return hash((id(self.owner), self.key))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Location) and self.owner is other.owner and bool(self.key == other.key)

    @property
    def name(self) -> str:
        if isinstance(self.owner, ClassView):
            return f"{self.owner.kind.__name__}.{self.key}"
        if isinstance(self.owner, dict):
            return f"[{self.key!r}]"
        if isinstance(self.owner, list):
            return "a list"
        if isinstance(self.owner, types.CellType):
            return self.label
        return f"{type(self.owner).__name__}.{self.key}"

    @property
    def undefined(self) -> Undefined:
        if isinstance(self.owner, ClassView):
            kind = self.owner.kind.__name__
            return Undefined(self.name, f"type object '{kind}' has no attribute '{self.key}'")
        if isinstance(self.owner, DictView):
            return Undefined(self.name, f"name '{self.key}' is not defined")
        if isinstance(self.owner, (dict, list, types.CellType)):
            return Undefined(self.name)
        if is_library_module(type(self.owner).__module__):
            return Undefined(self.key)
        return Undefined(self.name, f"'{type(self.owner).__name__}' object has no attribute '{self.key}'")

    @property
    def inherited(self) -> Any:
        """The value to use if the owner has none: a class attribute, or `undefined`."""
        kinds = () if isinstance(self.owner, (dict, list, types.CellType)) else type(self.owner).__mro__
        value = next((vars(kind)[self.key] for kind in kinds if self.key in vars(kind)), self)
        return self.undefined if value is self or hasattr(value, "__get__") else value

    def get(self) -> Any:
        return read_contents(self.owner).get(self.key, self.inherited)

    def set(self, value: Any) -> None:
        """Store a value; delete the current one if `value` is an `Undefined`."""
        is_missing = type(value) is Undefined
        if isinstance(self.owner, list):
            self.owner[:] = value
        elif isinstance(self.owner, dict):
            if is_missing:
                self.owner.pop(self.key, None)
            else:
                self.owner[self.key] = value
        elif isinstance(self.owner, types.CellType):
            if not is_missing:
                self.owner.cell_contents = value
            elif has_contents(self.owner):
                del self.owner.cell_contents
        elif not is_missing:
            object.__setattr__(self.owner, self.key, value)
        elif self.key in read_contents(self.owner):
            object.__delattr__(self.owner, self.key)


class HeapObject:
    """An object of this package with attributes that traced code changes, like those of a user's object."""

    __slots__ = ("__weakref__",)


def read_contents(owner: Any) -> dict[Any, Any]:
    """Return the values of all locations of an owner, by key."""
    if isinstance(owner, DictView):
        return owner.read()
    if isinstance(owner, dict):
        return owner
    if isinstance(owner, list):
        return {None: list(owner)}
    if isinstance(owner, types.CellType):
        return {"contents": owner.cell_contents} if has_contents(owner) else {}
    return instance_attributes(owner)


def defining_class(kind: type, name: str) -> type:
    """Return the class among `kind` and its bases that defines an attribute, or `object` if none does.

    >>> defining_class(bool, "__add__"), defining_class(bool, "missing")
    (<class 'int'>, <class 'object'>)
    """
    return next((base for base in kind.__mro__ if name in vars(base)), object)


def instance_attributes(owner: Any) -> dict[str, Any]:
    """Return the attributes of an object, from its `__dict__` and its slots."""
    values = dict(getattr(owner, "__dict__", ()))
    if any(c.__module__.partition(".")[0] in _lazily_built for c in type(owner).__mro__):
        values = {n: value for n, value in values.items() if not n.startswith("_") and n != "built"}
    for kind in type(owner).__mro__:
        for name in slot_names(kind):
            value = getattr(owner, name, values)
            if value is not values:
                values[name] = value
    return values


def slot_names(kind: type) -> Iterable[str]:
    names = kind.__dict__.get("__slots__", ())
    names = (names,) if isinstance(names, str) else names
    return [n for n in names if n not in ("__dict__", "__weakref__") and not n.startswith("__")]


class DictView(dict):
    """A view of some items of a dict, as an owner of locations."""

    def __init__(self, whole: Any, names: Iterable[str]):
        super().__init__()
        self.whole, self.names = whole, tuple(names)

    def read(self) -> dict[str, Any]:
        return {n: self.whole[n] for n in self.names if n in self.whole}

    def __setitem__(self, key: str, value: Any) -> None:
        self.whole[key] = value

    def pop(self, key: str, default: Any = None) -> Any:
        return self.whole.pop(key, default)


class ClassView(DictView):
    """A view of some attributes of a class, as an owner of locations."""

    def __init__(self, kind: type, names: Iterable[str]):
        super().__init__(vars(kind), names)
        self.kind = kind

    def __setitem__(self, key: str, value: Any) -> None:
        setattr(self.kind, key, value)

    def pop(self, key: str, default: Any = None) -> Any:
        delattr(self.kind, key)


def has_contents(cell: types.CellType) -> bool:
    try:
        cell.cell_contents  # noqa: B018
    except ValueError:
        return False
    return True


_libraries = {"numpy", "autograph_rs", "builtins", "logging"}
_lazily_built: set[str] = set()


def register_libraries(*names: str, lazily_built: bool = False) -> None:
    """Register packages whose module state user code does not change.

    Pass `lazily_built` if instances of their classes set private attributes on first use.
    """
    _libraries.update(names)
    if lazily_built:
        _lazily_built.update(names)


def is_library_module(module: Any) -> bool:
    return str(module).partition(".")[0] in _libraries


@dataclass(frozen=True)
class Variable:
    """A location: the n-th symbol of a statement's state."""

    index: int
    name: str


RESULT = Variable(-1, "the value")
"""The location of the result of a closure."""


@dataclass(frozen=True)
class Written:
    """A location: the contents of a staged value that is written to in place."""

    handle: Any

    def __hash__(self) -> int:
        return id(self.handle)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Written) and self.handle is other.handle

    @property
    def name(self) -> str:
        return self.handle.ag__name


@dataclass
class Path:
    """The effects of one captured closure: a value for each location that it changed.

    `is_left` is whether it ends by raising an exception that a `try` of the traced code may catch.
    """

    capture: Any = field(init=False)
    values: dict[Any, tuple[list[Any], Any]] = field(default_factory=dict)
    result: Any = None
    raw: dict[Any, Any] = field(default_factory=dict)
    seen: list[tuple[Any, Any]] = field(default_factory=list)
    changed: list[Any] = field(default_factory=list)
    shared: dict[int, str] = field(default_factory=dict)
    stale: list[Any] = field(default_factory=list)
    is_left: bool = False

    @property
    def raises(self) -> bool:
        return self.is_left or self.capture.raised is not None

    def leaf(self, value: Any) -> Any:
        """Return a value as the path leaves it: another value if it or its base was written to in place."""
        left = (*self.capture.writes, *self.seen)
        return next((new for handle, new in left if handle is value), value)
