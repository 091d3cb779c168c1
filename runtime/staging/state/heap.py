"""What traced code changes besides the variables that it declares.

A method that is called in a branch may assign attributes; a helper may write to a dict or a list.
`Heap` remembers the contents of the objects, dicts and lists that some closures can reach, tells
which *slots* (an attribute, an item) differ afterwards, and puts back what was there.
"""

from __future__ import annotations

import array
import dis
import operator
import sys
import threading
import types
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from . import iterators
from .chosen import Chosen, items_of
from .closures import family
from .slots import (
    ClassNames,
    Names,
    Slot,
    contents_of,
    is_filled,
    is_library_module,
    slot_names,
)
from .structures import CONTAINERS
from .tracebacks import is_library
from .undefined import Undefined

MAX_BYTES = 1 << 24
_ATOMS = (
    int, float, complex, bool, str, bytes, type(None), type, types.ModuleType,
    types.CodeType, types.FrameType, types.TracebackType, range, slice, type(...), Undefined,
)  # fmt: skip


class _Watching(threading.local):
    """The heaps whose closures this thread is running, from the outside in."""

    def __init__(self) -> None:
        self.heaps: list[Heap] = []


_watching = _Watching()


def watched() -> list[Heap]:
    """The heaps of the branches and loop bodies that this thread is running, from the outside in."""
    return _watching.heaps


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
        self._iterators: list[tuple[Any, Any]] = []
        self.globals: list[Any] = []
        """What the globals hold that the closures, and the functions that they reach, name."""
        self.warned: set[Any] = set()
        self.reached: set[int] = set()
        self.containers: dict[int, Any] = {}
        """The lists and dicts that there are, by their ids."""
        stack = list(roots)
        while stack:
            value = stack.pop()
            if id(value) in self.reached or isinstance(value, _ATOMS) or opaque(value):
                continue
            self.reached.add(id(value))
            stack.extend(self._visit(value))

    def holder(self, value: Any) -> Slot | None:
        """The attribute or item that holds a value, if one does."""
        held = ((o, key) for o, contents in self._saved for key, v in contents.items() if v is value)
        return next((Slot(owner, key) for owner, key in held if not isinstance(owner, types.CellType)), None)

    def _visit(self, value: Any) -> Iterable[Any]:
        if isinstance(value, types.FunctionType):
            return self._visit_function(value)
        if isinstance(value, types.CellType):
            self._saved.append((value, contents_of(value)))
            return ()
        if isinstance(value, types.BuiltinFunctionType):
            return [value.__self__]
        if isinstance(value, types.MethodType):
            return [value.__self__, value.__func__]
        if type(value) is tuple or isinstance(value, tuple):
            return value
        if type(value) in CONTAINERS:
            self.containers[id(value)] = value
        if isinstance(value, Chosen):
            return [*value.sources, *items_of(value)]
        if isinstance(value, (dict, list)):
            self._saved.append((value, dict(contents_of(value))))
            return list(value.values()) if isinstance(value, dict) else value
        if isinstance(value, (np.ndarray, set, bytearray, deque, array.array)):
            if getattr(value, "nbytes", 0) <= MAX_BYTES:
                self._whole.append((value, _copied(value)))
            return ()
        if iterators.is_plain(value):
            self._iterators.append((value, iterators.position(value)))
            return ()
        if not _is_user_object(value):
            return ()
        contents = dict(contents_of(value))
        self._saved.append((value, contents))
        of_class = [v for c in type(value).__mro__ if _is_of_user(c) for v in vars(c).values()]
        return [*contents.values(), *[v for v in of_class if isinstance(v, _CHANGEABLE)]]

    def _visit_function(self, function: types.FunctionType) -> Iterable[Any]:
        code, scope, cells = function.__code__, function.__globals__, function.__closure__ or ()
        if is_library_module(scope.get("__name__")):
            return ()
        found = [c.cell_contents for c in cells if is_filled(c)]
        named = [scope[n] for n in code.co_names if n in scope]
        self.globals += named
        found += named
        holders = [v for v in named if isinstance(v, (type, types.ModuleType)) and _is_of_user(v)]
        for holder in holders:
            held = vars(holder)
            found += [held[n] for n in code.co_names if isinstance(held.get(n), _CHANGEABLE)]
        if family(code) not in self._families:
            self._note_globals(function)
            self._note_attributes(holders, code)
            self._labels.update((id(c), n) for c, n in zip(cells, code.co_freevars, strict=True))
            found += cells
        return found

    def _note_globals(self, function: types.FunctionType) -> None:
        """The globals that a function binds are dict items of their module."""
        names = {i.argval for i in dis.get_instructions(function.__code__) if i.opname == "STORE_GLOBAL"}
        if names:
            scope = function.__globals__
            self._saved.append((Names(scope, names), {n: scope[n] for n in names if n in scope}))

    def _note_attributes(self, holders: Iterable[Any], code: types.CodeType) -> None:
        """The attributes of classes and modules that a function binds."""
        names = {i.argval for i in dis.get_instructions(code) if i.opname == "STORE_ATTR"}
        for holder in holders if names else ():
            kind = isinstance(holder, type)
            owner = ClassNames(holder, names) if kind else Names(vars(holder), names)
            self._saved.append((owner, owner.items_now()))

    def moved(self) -> list[Any]:
        """The iterators that have gone on since they were last asked for."""
        found = [value for value, before in self._iterators if iterators.position(value) != before]
        self._iterators = [(value, iterators.position(value)) for value, _ in self._iterators]
        return found

    @contextmanager
    def watching(self) -> Iterator[None]:
        _watching.heaps.append(self)
        try:
            yield
        finally:
            _watching.heaps.pop()

    def contents(self) -> list[Any]:
        """What everything holds now."""
        slots = [dict(contents_of(owner)) for owner, _ in self._saved]
        return [slots, [_copied(owner) for owner, _ in self._whole]]

    def accept(self, earlier: list[Any]) -> None:
        """Take what has changed since `earlier` for what was there from the beginning."""
        slots, whole = earlier
        for (owner, before), was in zip(self._saved, slots, strict=True):
            now = contents_of(owner)
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
                self._whole[i] = (owner, _copied(owner))

    def changes(self) -> dict[Slot, Any]:
        """The slots that differ from what they held, with what they hold now."""
        found: dict[Slot, Any] = {}
        for owner, before in self._saved:
            now = contents_of(owner)
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
        now = contents_of(owner)
        if isinstance(owner, list):
            return [Slot(owner, None)]
        return [Slot(owner, k) for k in {**before, **now} if before.get(k, self) is not now.get(k, self)]


def _same_items(first: list[Any], second: list[Any]) -> bool:
    return len(first) == len(second) and all(map(operator.is_, first, second))


def _copied(owner: Any) -> Any:
    """What it holds, of Python's own type: a class that derives from it may be made in another way."""
    if isinstance(owner, np.ndarray):
        return owner.copy()
    if isinstance(owner, (bytearray, array.array)):
        return owner[:]
    return set(owner) if isinstance(owner, set) else deque(owner)


def _is_equal(owner: Any, before: Any) -> bool:
    if isinstance(owner, np.ndarray):
        return owner.shape == before.shape and owner.tobytes() == before.tobytes()
    return len(owner) == len(before) and bool(owner == before)


def _put_back(owner: Any, before: Any) -> None:
    if isinstance(owner, np.ndarray):
        owner[...] = before
    elif isinstance(owner, (bytearray, array.array)):
        owner[:] = before
    else:
        owner.clear()
        (owner.update if isinstance(owner, set) else owner.extend)(before)


_CHANGEABLE = (list, dict, set, bytearray, deque, array.array)


def _is_of_user(holder: Any) -> bool:
    """Whether a class, or a module, is a user's: what others hold changes by itself."""
    name = str(holder.__module__ if isinstance(holder, type) else holder.__name__)
    if is_library_module(name) or name in sys.builtin_module_names:
        return False
    return not is_library(getattr(sys.modules.get(name), "__file__", None) or "<none>")


def _is_user_object(value: Any) -> bool:
    """An instance of a class that was written in Python, and whose attributes are its own business."""
    kind = type(value)
    if is_library_module(kind.__module__):
        return False
    return hasattr(value, "__dict__") or any(slot_names(k) for k in kind.__mro__)
