"""Track changes that traced code makes outside the variables of its statement.

A method called in a branch may assign attributes; a helper may write to a dict or a list. `Heap` records the
contents of the objects, dicts and lists that some closures can reach, reports which *slots* (attributes,
items) differ afterwards, and restores them.
"""

from __future__ import annotations

import array
import dis
import functools
import operator
import sys
import types
from collections import deque
from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from ...backends import BACKENDS
from ...core.active_backends import CAPTURES
from ...core.closures import cells_of, function_key
from ...core.packages import is_library
from ...core.undefined import Undefined
from ...debugging.tracebacks import is_internal
from ...values.iterators import is_python_iterator, iterator_position
from ...values.locations import (
    ClassView,
    DictView,
    HeapObject,
    Location,
    has_contents,
    is_library_module,
    read_contents,
    slot_names,
)
from ...values.plain_loops import note_restored
from ...values.selected_container import SelectedContainer, raw_items
from ...values.structures import CONTAINERS
from .missing_values import OptionalStructure

MAX_BYTES = 1 << 24
ATOMS = (
    int, float, complex, bool, str, bytes, type(None), type, types.ModuleType,
    types.CodeType, types.FrameType, types.TracebackType, range, slice, type(...), Undefined,
)  # fmt: skip


def running_heaps() -> list[Heap]:
    """Return the heaps of the branches and loop bodies that this thread is running, outermost first."""
    return CAPTURES.heaps


def is_older(value: Any) -> bool:
    """Return whether a value is older than a branch or loop body that is being captured."""
    return any(heap.has(value) for heap in CAPTURES.heaps)


def is_closed(value: Any) -> bool:
    """Return whether a value refers to nothing of a trace, like a class, function or framework's object."""
    return isinstance(value, CLOSED) or type(value).__module__.partition(".")[0] in _FRAMEWORKS


CLOSED = (type, types.ModuleType, types.FunctionType, types.CodeType, types.FrameType, np.generic)
_FRAMEWORKS = frozenset(("jax", "jaxlib", "tensorflow", "torch"))


@contextmanager
def excluded_from_heap() -> Iterator[None]:
    """Do not count changes made in the `with` block as changes made by the surrounding traced code."""
    before = [heap.contents() for heap in CAPTURES.heaps]
    yield
    for heap, contents in zip(CAPTURES.heaps, before, strict=True):
        heap.accept(contents)


class Heap:
    """A snapshot of the contents of everything reachable from `roots`."""

    def __init__(
        self,
        roots: Iterable[Any],
        *,
        own: Iterable[Any],
        code: types.CodeType | None,
        names: Collection[str] = (),
    ):
        """Take the snapshot, except for variables bound by `own`, the closures of a statement.

        `names` are those in the state of the statement.
        """
        self.code, self._names_of_state = code, names
        self._saved: list[tuple[Any, dict[Any, Any]]] = []
        self._families = {function_key(f.__code__) for f in own if isinstance(f, types.FunctionType)}
        self._labels: dict[int, str] = {}
        self._whole: list[tuple[Any, Any]] = []
        self._iterators: list[tuple[Any, Any]] = []
        self.globals: list[Any] = []
        """The values of the globals named in the closures and in the functions that they reach."""
        self.warned: set[Any] = set()
        self.reached: set[int] = set()
        self._classes: set[int] = set()
        self.containers: dict[int, Any] = {}
        """The reachable lists and dicts, by id."""
        self._walk(roots)

    def include(self, owner: Any) -> None:
        """Take the attributes of an object of this package into the snapshot."""
        self._saved.append((owner, dict(read_contents(owner))))

    def _walk(self, roots: Iterable[Any]) -> None:
        stack = list(roots)
        while stack:
            value = stack.pop()
            if id(value) in self.reached or self._is_skipped(value):
                continue
            self.reached.add(id(value))
            stack.extend(self._visit(value))

    def has(self, value: Any) -> bool:
        """Return whether the closures can reach a value."""
        if type(value) in CONTAINERS:  # another container may have had its id
            return self.containers.get(id(value)) is value
        return id(value) in self.reached

    def _is_skipped(self, value: Any) -> bool:
        return isinstance(value, ATOMS) or BACKENDS[type(value)] is not None

    @property
    def has_iterators(self) -> bool:
        """Return whether the closures can reach an iterator, whose position cannot be restored."""
        return bool(self._iterators)

    def has_iterator(self, value: Any) -> bool:
        if isinstance(value, HeapObject):
            return id(value) in self.reached
        return any(found is value for found, _ in self._iterators)

    def holders(self, value: Any) -> list[Location]:
        """Return the attributes, and the items of dicts and lists, that contain a value."""
        saved = [(o, contents) for o, contents in self._saved if not isinstance(o, types.CellType)]
        return [
            Location(o, key)
            for o, contents in saved
            for key, found in contents.items()
            for v in (found if key is None and isinstance(o, list) else [found])
            if v is value
        ]

    def move(self, value: Any, other: Any) -> None:
        """Record that what referred to a value refers to another one before the statement runs."""
        for owner, before in self._saved:
            if isinstance(owner, list):
                before[None] = [other if item is value else item for item in before[None]]
            else:
                before.update({key: other for key, held in before.items() if held is value})
        self.moved()  # the references of suspended generators are part of their positions

    def _visit(self, value: Any) -> Iterable[Any]:
        if isinstance(value, types.FunctionType):
            return self._visit_function(value)
        if isinstance(value, types.CellType):
            self._saved.append((value, read_contents(value)))
            return ()
        if isinstance(value, types.BuiltinFunctionType):
            return [value.__self__]
        if isinstance(value, types.MethodType):
            return [value.__self__, value.__func__]
        if isinstance(value, tuple):
            return value
        if isinstance(value, OptionalStructure):
            return [value.ag__parts]
        if type(value) in CONTAINERS:
            self.containers[id(value)] = value
        if isinstance(value, SelectedContainer):
            return [*value.sources, *raw_items(value)]
        if isinstance(value, (dict, list)):
            self._saved.append((value, dict(read_contents(value))))
            return list(value.values()) if isinstance(value, dict) else value
        if isinstance(value, (np.ndarray, set, bytearray, deque, array.array)):
            if getattr(value, "nbytes", 0) <= MAX_BYTES:
                self._whole.append((value, _copy_contents(value)))
            return ()
        if is_python_iterator(value):
            self._iterators.append((value, iterator_position(value)))
            return ()
        if not isinstance(value, HeapObject) and not is_user_object(value):
            return ()
        contents = dict(read_contents(value))
        self._saved.append((value, contents))
        return [*contents.values(), *self._methods_of(type(value))]

    def _methods_of(self, kind: type) -> list[Any]:
        """Return the methods of a class and its bases, and the containers among their attributes."""
        if id(kind) in self._classes:
            return []
        own = [base for base in kind.__mro__ if is_of_user(base)]
        values = [value for base in own for value in [*vars(base).values()]]
        methods = [f for f in map(_function_of, values) if f is not None]
        data = {n for base in own for n, v in vars(base).items() if not hasattr(v, "__get__")}
        stored = {n for f in methods for n in _bound_names(f.__code__, "STORE_ATTR") if n in data}
        for base in own:
            if id(base) not in self._classes:
                self._classes.add(id(base))
                self._view(base, stored)
        return [*filter(_leads_on, methods), *[v for v in values if isinstance(v, _CHANGEABLE)]]

    def _view(self, holder: Any, names: Iterable[str]) -> None:
        """Take attributes of a class or module into the snapshot."""
        view = ClassView(holder, names) if isinstance(holder, type) else DictView(vars(holder), names)
        if view.names:
            self._saved.append((view, view.read()))

    def _visit_function(self, function: types.FunctionType) -> Iterable[Any]:
        code, scope, cells = function.__code__, function.__globals__, function.__closure__ or ()
        found = [c.cell_contents for c in cells if has_contents(c)]
        if is_library_module(scope.get("__name__")):
            called = (types.FunctionType, types.MethodType)
            return [value for value in found if isinstance(value, called)] if is_internal(code) else ()
        named = [scope[n] for n in code.co_names if n in scope]
        self.globals += named
        found += named
        holders = [v for v in named if isinstance(v, (type, types.ModuleType)) and is_of_user(v)]
        for holder in holders:
            if isinstance(holder, type):
                found += self._methods_of(holder)
            else:
                held = vars(holder)
                found += [held[n] for n in code.co_names if isinstance(held.get(n), _CHANGEABLE)]
        if function_key(code) not in self._families:
            names = _bound_names(code, "STORE_GLOBAL")
            if names:
                view = DictView(scope, names)
                self._saved.append((view, view.read()))
            for holder in holders:
                self._view(holder, _bound_names(code, "STORE_ATTR"))
            self._labels.update((id(c), n) for c, n in zip(cells, code.co_freevars, strict=True))
            found += cells
        return found

    def add_variables(self, function: types.FunctionType) -> None:
        """Before another activation of the statement's function, add the variables that it closes over."""
        if function_key(function.__code__) not in self._families:
            return
        for name, cell in cells_of(function).items():
            if name not in self._names_of_state and id(cell) not in self.reached:
                self.reached.add(id(cell))
                self._labels[id(cell)] = name
                self._saved.append((cell, read_contents(cell)))

    def moved(self) -> list[Any]:
        """Return the iterators that have advanced since the last call."""
        found = [value for value, before in self._iterators if iterator_position(value) != before]
        self._iterators = [(value, iterator_position(value)) for value, _ in self._iterators]
        return found

    @contextmanager
    def watching(self) -> Iterator[None]:
        CAPTURES.heaps.append(self)
        try:
            yield
        finally:
            CAPTURES.heaps.pop()

    def contents(self) -> list[Any]:
        slots = [dict(read_contents(owner)) for owner, _ in self._saved]
        return [slots, [_copy_contents(owner) for owner, _ in self._whole]]

    def accept(self, earlier: list[Any]) -> None:
        """Treat changes since `earlier` as part of the initial contents."""
        slots, whole = earlier
        for (owner, before), was in zip(self._saved, slots, strict=True):
            now = read_contents(owner)
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
                self._whole[i] = (owner, _copy_contents(owner))

    def _changed_slots(self) -> Iterator[tuple[Location, Any, Any]]:
        """Yield the changed slots, each with its initial and its current value."""
        for owner, before in self._saved:
            now = read_contents(owner)
            if isinstance(owner, list):
                if not _same_items(now[None], before[None]):
                    yield Location(owner, None), before[None], now[None]
                continue
            for key in {**before, **now}:
                old, new = before.get(key, self), now.get(key, self)
                if old is not new:
                    slot = Location(owner, key, self._labels.get(id(owner), ""))
                    yield slot, slot.undefined if old is self else old, slot.undefined if new is self else new

    def changes(self) -> dict[Location, Any]:
        """Return the changed slots with their current values."""
        return {slot: value for slot, _, value in self._changed_slots()}

    def changed(self) -> list[Any]:
        return [owner for owner, before in self._whole if not _is_equal(owner, before)]

    def restore(self, variables: Iterable[Any] = ()) -> None:
        """Restore what is reachable. `variables` are the values of variables that have been restored."""
        note_restored(variables)
        for owner, before in self._whole:
            if not _is_equal(owner, before):
                _restore_contents(owner, before)
        changed = [*self._changed_slots()]
        for slot, value, _ in changed:
            slot.set(value)
            note_restored(value if isinstance(value, list) else (value,))
        dicts = {id(slot.owner) for slot, _, _ in changed if isinstance(slot.owner, dict)}
        for owner, before in self._saved if dicts else ():
            if id(owner) in dicts and [*owner] != [*before]:  # an item that was deleted came back as the last
                dict.clear(owner)
                dict.update(owner, before)


@functools.lru_cache(maxsize=4096)
def _bound_names(code: types.CodeType, opname: str) -> frozenset[str]:
    return frozenset(i.argval for i in dis.get_instructions(code) if i.opname == opname)


def _leads_on(function: types.FunctionType) -> bool:
    """Return whether a function refers to anything but its arguments and builtins."""
    code = function.__code__
    if function.__closure__ or _bound_names(code, "STORE_GLOBAL"):
        return True
    return not function.__globals__.keys().isdisjoint(code.co_names)


def _function_of(attribute: Any) -> types.FunctionType | None:
    """Return the function of a method, class method, static method or property, or None."""
    if isinstance(attribute, property):
        attribute = attribute.fget
    function = getattr(attribute, "__func__", attribute)
    return function if isinstance(function, types.FunctionType) else None


def _same_items(first: list[Any], second: list[Any]) -> bool:
    return len(first) == len(second) and all(map(operator.is_, first, second))


def _copy_contents(owner: Any) -> Any:
    """Copy the contents into Python's own type, because a subclass may have another constructor."""
    if isinstance(owner, np.ndarray):
        return owner.copy()
    if isinstance(owner, (bytearray, array.array)):
        return owner[:]
    return set(owner) if isinstance(owner, set) else deque(owner)


def _is_equal(owner: Any, before: Any) -> bool:
    if isinstance(owner, np.ndarray):
        return owner.shape == before.shape and owner.tobytes() == before.tobytes()
    return len(owner) == len(before) and bool(owner == before)


def _restore_contents(owner: Any, before: Any) -> None:
    if isinstance(owner, np.ndarray):
        owner[...] = before
    elif isinstance(owner, (bytearray, array.array)):
        owner[:] = before
    else:
        owner.clear()
        (owner.update if isinstance(owner, set) else owner.extend)(before)


_CHANGEABLE = (list, dict, set, bytearray, deque, array.array)


def is_of_user(holder: Any) -> bool:
    """Return whether a class or module belongs to the user, rather than to a library or to Python."""
    name = str(holder.__module__ if isinstance(holder, type) else holder.__name__)
    if name == "__main__":  # whose file may be a tool that runs the user's program
        return True
    if is_library_module(name) or name in sys.builtin_module_names:
        return False
    return not is_library(getattr(sys.modules.get(name), "__file__", None) or "<none>")


def is_user_object(value: Any) -> bool:
    """Return whether a value is an instance of a Python class that no library defines."""
    kind = type(value)
    if is_library_module(kind.__module__):
        return False
    return hasattr(value, "__dict__") or any(slot_names(k) for k in kind.__mro__)
