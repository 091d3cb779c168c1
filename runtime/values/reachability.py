"""Search a value and what it holds for staged values."""

from __future__ import annotations

import functools
import types
from collections import deque
from collections.abc import Callable, Iterable
from typing import Any

from .locations import has_contents, instance_attributes, is_library_module

MAX_VISITED = 10_000


def reaches(roots: Iterable[Any], is_sought: Callable[[Any], bool]) -> bool:
    """Return whether a search from `roots` finds a value for which `is_sought` is true.

    The search enters containers, partials, methods, the closures and defaults of functions, and the
    attributes of instances of Python classes, but not classes, modules and the objects of tensor systems.
    After `MAX_VISITED` values it returns True.
    """
    visited: set[int] = set()
    pending = deque(roots)
    while pending:
        value = pending.popleft()
        if type(value) in _ATOMS or id(value) in visited:
            continue
        if is_sought(value) or len(visited) >= MAX_VISITED:
            return True
        visited.add(id(value))
        pending += _contents(value)
    return False


_ATOMS = frozenset((int, float, complex, bool, str, bytes, type(None), type, types.ModuleType, range, slice))


def _contents(value: Any) -> Iterable[Any]:
    if isinstance(value, dict):
        return [*value.values()]
    if isinstance(value, (list, tuple, set, frozenset, deque)):
        return value
    if isinstance(value, types.FunctionType):
        cells = [c.cell_contents for c in value.__closure__ or () if has_contents(c)]
        return [*cells, *(value.__defaults__ or ()), *(value.__kwdefaults__ or {}).values()]
    if isinstance(value, functools.partial):
        return [value.func, *value.args, *value.keywords.values()]
    if isinstance(value, types.MethodType):
        return value.__self__, value.__func__
    if isinstance(value, type) or is_library_module(type(value).__module__):
        return ()
    return instance_attributes(value).values()
