"""All plain state that a loop's body may reach, for finding changes that a staged loop would not repeat.

A staged statement carries the changes that its `Heap` can see. `Surroundings` looks further: into nested
code, the methods of classes, decorated and partial functions, and the functions of other modules. It saves
whole classes, modules and attributes of functions. A loop whose body changes any of it beyond what the heap
restores cannot be rolled.
"""

from __future__ import annotations

import contextlib
import dis
import functools
import gc
import sys
import types
import weakref
from collections import deque
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from ...backends import BACKENDS
from ...core.closures import function_key
from ...core.packages import is_library
from ...values.locations import ClassView, DictView, has_contents, is_library_module
from ..state.heap import ATOMS, Heap, is_of_user

MAX_LIBRARY_OBJECTS = 10_000
"""Objects of libraries that are searched for user code. What is not found is not known to be harmless."""
_NOT_ATOMS = (type, types.ModuleType)
_WITH_REFERENTS = (
    staticmethod, classmethod, property, super, types.MappingProxyType, functools.partial,
    functools.partialmethod, functools.cached_property, functools.singledispatchmethod,
    type(functools.cache(lambda: None)), frozenset,
)  # fmt: skip
"""Types of values that lead to others but hold no state of their own."""
_ANY_NAME = {"globals", "locals", "vars", "__dict__", "getattr", "__globals__", "attrgetter", "methodcaller"}
"""Names in code that may read variables under computed names."""
_ANYTHING = {"eval", "exec", "compile", "_getframe", "get_objects", "get_referrers", "currentframe"}
"""Functions that may reach state that no scan finds."""


class _WholeView(DictView):
    """A view of all items of a dict with plain names."""

    def __init__(self, whole: Any):
        super().__init__(whole, ())

    def read(self) -> dict[str, Any]:
        return _plain_items(self.whole)


class _WholeClassView(ClassView):
    def __init__(self, kind: type):
        super().__init__(kind, ())

    def read(self) -> dict[str, Any]:
        return _plain_items(vars(self.kind))


def _plain_items(values: Any) -> dict[str, Any]:
    """Return the items whose names Python does not reserve: it sets some, such as `__warningregistry__`."""
    return {n: v for n, v in [*values.items()] if not (type(n) is str and n[:2] == n[-2:] == "__")}


class Surroundings(Heap):
    """A snapshot of all plain state that may be reached from `roots`, and the code that may be called."""

    def __init__(self, roots: Iterable[Any], *, own: Iterable[Any]):
        self.codes: dict[int, types.CodeType] = {}
        """The code of the functions found, with the code nested in it, by id."""
        self.keys: set[tuple[str, str]] = set()
        """The file and the qualified name of each."""
        self.is_open = False
        """Whether code may reach state that is not in the snapshot."""
        self._names: set[str] = set()
        self._modules: list[types.ModuleType] = []
        self._scopes: set[int] = set()
        self._library_objects = 0
        self._alive: list[Any] = []
        super().__init__(roots, own=own, code=None)
        self._walk_modules()

    def has_visited(self, code: types.CodeType) -> bool:
        """Return whether code belongs to a function that was found, or is a converted form of such code."""
        if id(code) in self.codes:
            return True
        file, name = code.co_filename, code.co_qualname
        if file == "<string>":
            return False
        parts = name.split(".<locals>.")
        return any((file, ".<locals>.".join(parts[: i + 1])) in self.keys for i in range(len(parts)))

    def has_changed(self) -> bool:
        return bool(self.changed()) or next(self._changed_slots(), None) is not None

    def _is_skipped(self, value: Any) -> bool:
        if isinstance(value, _NOT_ATOMS):
            return False
        return isinstance(value, ATOMS) or BACKENDS[type(value)] is not None

    def _walk_modules(self) -> None:
        """Visit the values that code may read from modules, until no further code is found."""
        done: set[tuple[int, str]] = set()
        while True:
            names = self._names
            is_any = bool(names & _ANY_NAME)
            found = []
            for module in [*self._modules]:
                held = vars(module)
                for name in [*held] if is_any else names & held.keys():
                    if (id(module), name) not in done:
                        done.add((id(module), name))
                        found.append(held[name])
            if not found:
                break
            self._walk(found)

    def _visit(self, value: Any) -> Iterable[Any]:
        self._alive.append(value)  # ids in `reached` stay unique
        if isinstance(value, type):
            return self._visit_class(value)
        if isinstance(value, types.ModuleType):
            if is_of_user(value) and value.__name__ != "ag__":
                self._modules.append(value)
                self._save_scope(vars(value))
            return ()
        if isinstance(value, types.CellType):
            super()._visit(value)
            return [value.cell_contents] if has_contents(value) else ()
        if isinstance(value, weakref.ref):
            return [value()]
        if isinstance(value, _WITH_REFERENTS):
            return gc.get_referents(value)
        found = [*super()._visit(value)]
        kind = type(value)
        if isinstance(value, (set, deque)):
            found += value
        elif isinstance(value, np.ndarray) and value.dtype == object:
            found += value.flat
        if kind.__module__ == "builtins":
            return found
        if is_library_module(kind.__module__) or is_library(file_of(kind)):
            return [*found, *self._visit_library_object(value)]
        if isinstance(value, (dict, list, set, tuple, deque)) and hasattr(value, "__dict__"):
            self._saved.append((view := _WholeView(vars(value)), view.read()))
            found += vars(value).values()
        return [*found, kind]

    def _visit_class(self, kind: type) -> Iterator[Any]:
        for cls in kind.__mro__:
            if cls is not kind:
                if is_of_user(cls):
                    yield cls
            elif is_of_user(cls):
                self._saved.append((view := _WholeClassView(cls), view.read()))
                yield type(cls)
                yield from [*vars(cls).values()]

    def _visit_library_object(self, value: Any) -> Iterable[Any]:
        """Return what an object of a library may call. Its own state is not saved."""
        self._library_objects += 1
        if self._library_objects > MAX_LIBRARY_OBJECTS:
            return ()
        held = getattr(type(value), "__dict__", {}) and getattr(value, "__dict__", None)
        found = [*held.values()] if isinstance(held, dict) else []
        wrapped = None
        with contextlib.suppress(Exception):
            wrapped = getattr(value, "__wrapped__", None) if callable(value) else None
        inner: list[Any] = [v for v in found if isinstance(v, (types.FunctionType, types.MethodType))]
        for part in found:
            items = part.values() if isinstance(part, dict) else part
            if isinstance(part, (dict, list, tuple)):
                inner += [v for v in items if hasattr(v, "__dict__") and not self._is_skipped(v)]
        return [*inner, *([] if wrapped is None else [wrapped])]

    def _visit_function(self, function: types.FunctionType) -> Iterable[Any]:
        scope, cells = function.__globals__, function.__closure__ or ()
        found = [function.__defaults__, function.__kwdefaults__, *vars(function).values()]
        if is_library_module(scope.get("__name__")):
            return [vars(function).get("__wrapped__")]
        contents = [c.cell_contents for c in cells if has_contents(c)]
        if is_library(function.__code__.co_filename):
            return [*found, *contents]
        self._saved.append((view := _WholeView(vars(function)), view.read()))
        names: set[str] = set()
        for code in self._visit_code(function.__code__):
            names.update(code.co_names)
            names.update(c for c in code.co_consts if type(c) is str)
        self._names |= names
        self._save_scope(scope)
        found += [scope[n] for n in names if n in scope]
        if names & _ANY_NAME:
            found += _plain_items(scope).values()
        package = scope.get("__package__") or ""
        found += [sys.modules[n] for name in names for n in (name, f"{package}.{name}") if n in sys.modules]
        return [*found, *(contents if function_key(function.__code__) in self._families else cells)]

    def _visit_code(self, code: types.CodeType) -> Iterator[types.CodeType]:
        self.codes[id(code)] = code
        self.keys.add((code.co_filename, code.co_qualname))
        if _ANYTHING.intersection(code.co_names):
            loaded = {(i.opname.partition("_")[2][:4], i.argval) for i in dis.get_instructions(code)}
            attributes = _ANYTHING - {"eval", "exec", "compile"}
            self.is_open |= any(n in attributes or k in ("GLOB", "NAME") for k, n in loaded if n in _ANYTHING)
        yield code
        for inner in code.co_consts:
            if isinstance(inner, types.CodeType):
                yield from self._visit_code(inner)

    def _save_scope(self, scope: dict[str, Any]) -> None:
        if id(scope) not in self._scopes:
            self._scopes.add(id(scope))
            self._saved.append((view := _WholeView(scope), view.read()))


def file_of(kind: type) -> str:
    """Return the file of the module that defines a class, or `<none>`."""
    return getattr(sys.modules.get(kind.__module__), "__file__", None) or "<none>"
