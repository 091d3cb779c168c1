"""What holds a value: an attribute of an object, an item of a dict, the contents of a list or cell."""

from __future__ import annotations

import types
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from .undefined import Undefined


@dataclass(frozen=True)
class Slot:
    """An attribute of an object, an item of a dict, or the contents of a list."""

    owner: Any
    key: Any
    label: str = ""

    def __hash__(self) -> int:
        return hash((id(self.owner), self.key))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Slot) and self.owner is other.owner and bool(self.key == other.key)

    @property
    def name(self) -> str:
        if isinstance(self.owner, ClassNames):
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
        """What stands for its missing value."""
        if isinstance(self.owner, ClassNames):
            kind = self.owner.kind.__name__
            return Undefined(self.name, f"type object '{kind}' has no attribute '{self.key}'")
        if isinstance(self.owner, Names):
            return Undefined(self.name, f"name '{self.key}' is not defined")
        if isinstance(self.owner, (dict, list, types.CellType)):
            return Undefined(self.name)
        return Undefined(self.name, f"'{type(self.owner).__name__}' object has no attribute '{self.key}'")

    @property
    def inherited(self) -> Any:
        """What is read where the owner itself has no value: a default of its class, or nothing."""
        kinds = () if isinstance(self.owner, (dict, list, types.CellType)) else type(self.owner).__mro__
        found = next((vars(kind)[self.key] for kind in kinds if self.key in vars(kind)), self)
        return self.undefined if found is self or hasattr(found, "__get__") else found

    def get(self) -> Any:
        return contents_of(self.owner).get(self.key, self.inherited)

    def set(self, value: Any) -> None:
        missing = type(value) is Undefined
        if isinstance(self.owner, list):
            self.owner[:] = value
        elif isinstance(self.owner, dict):
            if missing:
                self.owner.pop(self.key, None)
            else:
                self.owner[self.key] = value
        elif isinstance(self.owner, types.CellType):
            if not missing:
                self.owner.cell_contents = value
            elif is_filled(self.owner):
                del self.owner.cell_contents
        elif not missing:
            object.__setattr__(self.owner, self.key, value)
        elif self.key in contents_of(self.owner):
            object.__delattr__(self.owner, self.key)


def contents_of(owner: Any) -> dict[Any, Any]:
    if isinstance(owner, Names):
        return owner.items_now()
    if isinstance(owner, dict):
        return owner
    if isinstance(owner, list):
        return {None: list(owner)}
    if isinstance(owner, types.CellType):
        return {"contents": owner.cell_contents} if is_filled(owner) else {}
    return attributes(owner)


def attributes(owner: Any) -> dict[str, Any]:
    """What an object holds, by name."""
    found = dict(getattr(owner, "__dict__", ()))
    if _is_built(type(owner)):
        found = {name: value for name, value in found.items() if not name.startswith("_") and name != "built"}
    for kind in type(owner).__mro__:
        for name in slot_names(kind):
            value = getattr(owner, name, found)
            if value is not found:
                found[name] = value
    return found


def slot_names(kind: type) -> Iterable[str]:
    names = kind.__dict__.get("__slots__", ())
    names = (names,) if isinstance(names, str) else names
    return [n for n in names if n not in ("__dict__", "__weakref__") and not n.startswith("__")]


class Names(dict):
    """Some items of a dict, as an owner of its own."""

    def __init__(self, whole: dict[str, Any], names: Iterable[str]):
        super().__init__()
        self.whole, self.names = whole, tuple(names)

    def items_now(self) -> dict[str, Any]:
        return {n: self.whole[n] for n in self.names if n in self.whole}

    def __setitem__(self, key: str, value: Any) -> None:
        self.whole[key] = value

    def pop(self, key: str, default: Any = None) -> Any:
        return self.whole.pop(key, default)


class ClassNames(Names):
    """Some attributes of a class, as an owner of its own."""

    def __init__(self, kind: type, names: Iterable[str]):
        super().__init__({}, names)
        self.kind = kind

    def items_now(self) -> dict[str, Any]:
        return {n: vars(self.kind)[n] for n in self.names if n in vars(self.kind)}

    def __setitem__(self, key: str, value: Any) -> None:
        setattr(self.kind, key, value)

    def pop(self, key: str, default: Any = None) -> Any:
        delattr(self.kind, key)


def is_filled(cell: types.CellType) -> bool:
    try:
        cell.cell_contents  # noqa: B018
    except ValueError:
        return False
    return True


_libraries = {"numpy", "autograph_rs", "builtins", "logging"}
_builders: set[str] = set()


def note_libraries(*names: str, build: bool = False) -> None:
    """Count packages as libraries: what they hold changes by themselves only.

    With `build`, instances of their classes set private attributes when they are first used.
    """
    _libraries.update(names)
    if build:
        _builders.update(names)


def is_library_module(module: Any) -> bool:
    """Whether what a module holds changes by itself only: no user's variable is in it."""
    return str(module).partition(".")[0] in _libraries


def _is_built(kind: type) -> bool:
    """Whether instances are layers, whose private attributes their framework sets at their first call."""
    return any(c.__module__.partition(".")[0] in _builders for c in kind.__mro__)
