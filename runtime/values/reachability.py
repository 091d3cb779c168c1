"""Search a value and what it holds for staged values."""

from __future__ import annotations

import functools
import types
from collections import deque
from collections.abc import Callable, ItemsView, Iterable, KeysView, ValuesView
from typing import Any

from .locations import has_contents, is_library_module
from .structures import REBUILT, own_parts

MAX_VISITED = 10_000


def reaches(roots: Iterable[Any], is_sought: Callable[[Any], bool]) -> bool:
    """Return whether a search from `roots` may find a value for which `is_sought` is true.

    The search enters containers, partials, methods, the closures and defaults of functions, and the
    attributes of instances of Python classes, but not classes, modules and the objects of tensor systems.
    It runs no code of the user. The result is also True for an iterator, which a search would consume, and
    after `MAX_VISITED` values.
    """
    visited: set[int] = set()
    pending = [iter(roots)]
    count = 0
    while pending:
        for value in pending[-1]:
            count += 1
            if count > MAX_VISITED:
                return True
            if type(value) in ATOMS or id(value) in visited:
                continue
            if is_sought(value) or "__next__" in dir(type(value)):
                return True
            visited.add(id(value))
            pending.append(iter(contents(value)))
            break
        else:
            pending.pop()
    return False


ATOMS = frozenset((int, float, complex, bool, str, bytes, type(None), type, types.ModuleType, range, slice))
_CONTAINERS = (list, tuple, set, frozenset, deque)


def contents(value: Any) -> Iterable[Any]:
    """Return what a value holds, without running code of the user."""
    if issubclass(type(value), dict):  # a proxy, such as those of TensorFlow, is an instance but no dict
        return [*dict.values(value)]
    for kind in _CONTAINERS:
        if issubclass(type(value), kind):
            items: Callable[[Any], Iterable[Any]] = kind.__iter__
            return [*items(value)]
    if isinstance(value, (KeysView, ValuesView, ItemsView)) and type(value).__module__ == "builtins":
        return [*value]
    if REBUILT in vars(type(value)):
        return [*own_parts(value).values()]
    if isinstance(value, types.FunctionType):
        cells = [c.cell_contents for c in value.__closure__ or () if has_contents(c)]
        return [*cells, *(value.__defaults__ or ()), *(value.__kwdefaults__ or {}).values()]
    if isinstance(value, functools.partial):
        return [value.func, *value.args, *value.keywords.values()]
    if isinstance(value, types.MethodType):
        return value.__self__, value.__func__
    if isinstance(value, type) or is_library_module(type(value).__module__):
        return ()
    return _attributes(value)


def _attributes(value: Any) -> list[Any]:
    """Return the values of an object's `__dict__` and slots, without calling its methods."""
    try:
        found = [*object.__getattribute__(value, "__dict__").values()]
    except AttributeError:
        found = []
    for kind in type(value).__mro__:
        for slot in vars(kind).values():
            if type(slot) is types.MemberDescriptorType:
                try:
                    found.append(slot.__get__(value))
                except AttributeError:  # no value
                    continue
    return found
