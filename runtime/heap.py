"""What traced code changes besides the variables that it declares.

A method that is called in a branch may assign attributes; a helper may write to a dict or a list.
`Heap` remembers the contents of the objects, dicts and lists that some closures can reach, tells
which *slots* (an attribute, an item) differ afterwards, and puts back what was there.
"""

from __future__ import annotations

import dis
import operator
import threading
import types
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np

from .closures import family
from .undefined import Undefined

MAX_BYTES = 1 << 24
_ATOMS = (
    int, float, complex, bool, str, bytes, type(None), type, types.ModuleType,
    types.CodeType, types.FrameType, types.TracebackType, range, slice, type(...), Undefined,
)  # fmt: skip


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
        if isinstance(self.owner, _Names):
            return Undefined(self.name, f"name '{self.key}' is not defined")
        if isinstance(self.owner, (dict, list, types.CellType)):
            return Undefined(self.name)
        return Undefined(self.name, f"'{type(self.owner).__name__}' object has no attribute '{self.key}'")

    def get(self) -> Any:
        return _contents(self.owner).get(self.key, self.undefined)

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
            elif _is_filled(self.owner):
                del self.owner.cell_contents
        elif not missing:
            object.__setattr__(self.owner, self.key, value)
        elif self.key in _contents(self.owner):
            object.__delattr__(self.owner, self.key)


def _contents(owner: Any) -> dict[Any, Any]:
    if isinstance(owner, _Names):
        return owner.items_now()
    if isinstance(owner, dict):
        return owner
    if isinstance(owner, list):
        return {None: list(owner)}
    if isinstance(owner, types.CellType):
        return {"contents": owner.cell_contents} if _is_filled(owner) else {}
    return attributes(owner)


def attributes(owner: Any) -> dict[str, Any]:
    """What an object holds, by name."""
    found = dict(getattr(owner, "__dict__", ()))
    if _is_built(type(owner)):
        found = {name: value for name, value in found.items() if not name.startswith("_") and name != "built"}
    for kind in type(owner).__mro__:
        for name in _slot_names(kind):
            value = getattr(owner, name, found)
            if value is not found:
                found[name] = value
    return found


def _slot_names(kind: type) -> Iterable[str]:
    names = kind.__dict__.get("__slots__", ())
    names = (names,) if isinstance(names, str) else names
    return [n for n in names if n not in ("__dict__", "__weakref__") and not n.startswith("__")]


class _Names(dict):
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


class _Watching(threading.local):
    """The heaps whose closures this thread is running, from the outside in."""

    def __init__(self) -> None:
        self.heaps: list[Heap] = []


_watching = _Watching()


@contextmanager
def unnoticed() -> Iterator[None]:
    """What the code of a `with` changes is not a change of the traced code around it, and stays."""
    before = [heap.contents() for heap in _watching.heaps]
    yield
    for heap, contents in zip(_watching.heaps, before, strict=True):
        heap.accept(contents)


class Heap:
    """The contents of everything that `roots` reach, as they are now."""

    def __init__(self, roots: Iterable[Any], *, own: Iterable[Any], opaque: Callable[[Any], bool]):
        """What `own`, the closures of a statement, and their siblings bind is the statement's state."""
        self._opaque = opaque
        self._saved: list[tuple[Any, dict[Any, Any]]] = []
        self._families = {family(f.__code__) for f in own if isinstance(f, types.FunctionType)}
        self._labels: dict[int, str] = {}
        self._whole: list[tuple[Any, Any]] = []
        seen: set[int] = set()
        stack = list(roots)
        while stack:
            value = stack.pop()
            if id(value) in seen or isinstance(value, _ATOMS) or opaque(value):
                continue
            seen.add(id(value))
            stack.extend(self._visit(value))

    def _visit(self, value: Any) -> Iterable[Any]:
        if isinstance(value, types.FunctionType):
            return self._visit_function(value)
        if isinstance(value, types.CellType):
            self._saved.append((value, _contents(value)))
            return ()
        if isinstance(value, types.BuiltinFunctionType):
            return [value.__self__]
        if isinstance(value, types.MethodType):
            return [value.__self__, value.__func__]
        if type(value) is tuple or isinstance(value, tuple):
            return value
        if isinstance(value, (dict, list)):
            self._saved.append((value, dict(_contents(value))))
            return list(value.values()) if isinstance(value, dict) else value
        if isinstance(value, (np.ndarray, set, bytearray, deque)):
            if getattr(value, "nbytes", 0) <= MAX_BYTES:
                self._whole.append((value, value.copy()))
            return ()
        if not _is_user_object(value):
            return ()
        contents = dict(_contents(value))
        self._saved.append((value, contents))
        return list(contents.values())

    def _visit_function(self, function: types.FunctionType) -> Iterable[Any]:
        code, scope, cells = function.__code__, function.__globals__, function.__closure__ or ()
        if _is_library(scope.get("__name__")):
            return ()
        found = [c.cell_contents for c in cells if _is_filled(c)]
        found += [scope[n] for n in code.co_names if n in scope]
        if family(code) not in self._families:
            self._note_globals(function)
            self._labels.update((id(c), n) for c, n in zip(cells, code.co_freevars, strict=True))
            found += cells
        return found

    def _note_globals(self, function: types.FunctionType) -> None:
        """The globals that a function binds are dict items of their module."""
        names = {i.argval for i in dis.get_instructions(function.__code__) if i.opname == "STORE_GLOBAL"}
        if names:
            scope = function.__globals__
            self._saved.append((_Names(scope, names), {n: scope[n] for n in names if n in scope}))

    @contextmanager
    def watching(self) -> Iterator[None]:
        _watching.heaps.append(self)
        try:
            yield
        finally:
            _watching.heaps.pop()

    def contents(self) -> list[Any]:
        """What everything holds now."""
        slots = [dict(_contents(owner)) for owner, _ in self._saved]
        return [slots, [owner.copy() for owner, _ in self._whole]]

    def accept(self, earlier: list[Any]) -> None:
        """Take what has changed since `earlier` for what was there from the beginning."""
        slots, whole = earlier
        for (owner, before), was in zip(self._saved, slots, strict=True):
            now = _contents(owner)
            for key in {**was, **now}:
                same = _same_items if isinstance(owner, list) else operator.is_
                if same(was.get(key, self), now.get(key, self)):
                    continue
                if key in now:
                    before[key] = now[key]
                else:
                    before.pop(key, None)
        for i, (owner, _) in enumerate(self._whole):
            if not _is_equal(owner, whole[i]):
                self._whole[i] = (owner, owner.copy())

    def changes(self) -> dict[Slot, Any]:
        """The slots that differ from what they held, with what they hold now."""
        found: dict[Slot, Any] = {}
        for owner, before in self._saved:
            now = _contents(owner)
            if isinstance(owner, list):
                if not _same_items(now[None], before[None]):
                    found[Slot(owner, None)] = now[None]
                continue
            for key in {**before, **now}:
                slot = Slot(owner, key, self._labels.get(id(owner), ""))
                old, new = before.get(key, slot), now.get(key, slot)
                if old is not new:
                    found[slot] = slot.undefined if new is slot else new
        return found

    def changed(self) -> list[Any]:
        """The arrays, sets and the like that are not what they were."""
        return [owner for owner, before in self._whole if not _is_equal(owner, before)]

    def restore(self) -> None:
        for owner, before in self._whole:
            if not _is_equal(owner, before):
                _put_back(owner, before)
        for owner, before in self._saved:
            for slot in self._changed_of(owner, before):
                slot.set(before.get(slot.key, slot.undefined))

    def _changed_of(self, owner: Any, before: dict[Any, Any]) -> list[Slot]:
        now = _contents(owner)
        if isinstance(owner, list):
            return [Slot(owner, None)]
        return [Slot(owner, k) for k in {**before, **now} if before.get(k, self) is not now.get(k, self)]


def _same_items(first: list[Any], second: list[Any]) -> bool:
    return len(first) == len(second) and all(map(operator.is_, first, second))


def _is_equal(owner: Any, before: Any) -> bool:
    if isinstance(owner, np.ndarray):
        return owner.shape == before.shape and owner.tobytes() == before.tobytes()
    return len(owner) == len(before) and bool(owner == before)


def _put_back(owner: Any, before: Any) -> None:
    if isinstance(owner, np.ndarray):
        owner[...] = before
    elif isinstance(owner, bytearray):
        owner[:] = before
    else:
        owner.clear()
        (owner.update if isinstance(owner, set) else owner.extend)(before)


def _is_filled(cell: types.CellType) -> bool:
    try:
        cell.cell_contents  # noqa: B018
    except ValueError:
        return False
    return True


_libraries = {"numpy", "autograph_rs", "builtins"}
_builders: set[str] = set()


def note_libraries(*names: str, build: bool = False) -> None:
    """Count packages as libraries: what they hold changes by themselves only.

    With `build`, instances of their classes set private attributes when they are first used.
    """
    _libraries.update(names)
    if build:
        _builders.update(names)


def _is_library(module: Any) -> bool:
    """Whether what a module holds changes by itself only: no user's variable is in it."""
    return str(module).partition(".")[0] in _libraries


def _is_built(kind: type) -> bool:
    """Whether instances are layers, whose private attributes their framework sets at their first call."""
    return any(c.__module__.partition(".")[0] in _builders for c in kind.__mro__)


def _is_user_object(value: Any) -> bool:
    """An instance of a class that was written in Python, and whose attributes are its own business."""
    kind = type(value)
    if _is_library(kind.__module__):
        return False
    return hasattr(value, "__dict__") or any(_slot_names(k) for k in kind.__mro__)
