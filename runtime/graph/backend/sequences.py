"""List methods, heaps and sorted lists in the graph: what Python does with the items when the graph runs."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Sequence
from typing import Any

from ... import staging
from ...containers.ordering import raise_if
from ...core.active_backends import active_backend
from ..ir.types import ListType, ScalarType, TupleType
from ..tracing import recording
from ..tracing.containers import lists
from ..tracing.containers.iterables import Groups, StagedIterable
from ..tracing.containers.staged_keyed import StagedKeyed
from ..tracing.containers.staged_lists import StagedList
from ..tracing.tensor import Tensor
from . import builtins

_INT = ScalarType(int)
_CHANGES = {"heappush": 1, "heappop": -1, "insort_left": 1, "insort_right": 1}
"""By how many items a function changes the length of a list."""


def update_list(method: str, target: Any, *values: Any) -> Any:
    """Call a function that changes a list, such as `heapq.heappush`, and return its result."""
    if isinstance(target, StagedList):
        return target.update(method, *values)
    items = lists.staged_list(target)
    result = items.update(method, *values)
    target[:] = [items[i] for i in range(len(target) + _CHANGES.get(method, 0))]
    return result


def bisect(method: str, values: Any, item: Any) -> Any:
    """Search a sorted list, or return NotImplemented for a range."""
    if isinstance(values, (range, StagedIterable)):
        return NotImplemented
    source = lists.staged_list(values) if isinstance(values, (list, tuple)) else values
    return recording.record(method, (source, item), _INT)


def sorting_order(keys: Sequence[Any], reverse: bool) -> list[Any]:
    """Return the positions of the keys in sorted order, as staged ints."""
    items = lists.staged_list(keys)
    order = recording.record("sorting_order", (items, bool(reverse)), ListType(_INT))
    return [order[i] for i in range(len(keys))]


def by_key(function: Callable[..., Any], values: Any, key: Callable[[Any], Any], **options: Any) -> Any:
    """Call `sorted`, `min` or `max` with a key on an array, a staged list or another staged iterable."""
    if isinstance(values, StagedKeyed):
        values = values.as_list()
    if not isinstance(values, (StagedList, Tensor)):
        values = builtins.IMPLEMENTATIONS[list](values)
    keys = active_backend().call_builtin(map, (key, values), {})
    if function is sorted:
        order = recording.record("sorting_order", (keys, options.get("reverse", False)), ListType(_INT))
        items = builtins.IMPLEMENTATIONS[list](values)
        return recording.record("permuted", (items, order), items.type)
    if "default" in options:
        backend, default, length = active_backend(), options["default"], builtins.call(len, (values,), {})
        found = functools.partial(by_key, function, values, key)
        return staging.if_exp(backend, length > 0, found, lambda: default, "")
    return values[recording.record(f"{function.__name__}_position", (keys,), _INT)]


def repeated(values: Any, count: Any) -> Any:
    """Return a list or text, repeated a staged number of times."""
    if isinstance(values, list):
        return lists.staged_list(list(values)) * count
    return recording.record("mul", (values, count), ScalarType(str))


def taken(values: Any, count: int) -> list[Any]:
    """Return the items of an iterable of staged length for so many targets of an assignment."""
    items = builtins.call(list, (values,), {})
    backend = active_backend()
    length = builtins.call(len, (items,), {})
    shown = backend.fmt(length, "")
    is_counted = sys.version_info >= (3, 14) and getattr(values, "python_class", list) in (list, dict)
    few = f"not enough values to unpack (expected {count}, got {shown})"
    many = f"too many values to unpack (expected {count}{f', got {shown}' if is_counted else ''})"
    if count:
        raise_if(backend, length < count, ValueError(backend.text(few)))
    raise_if(backend, length > count, ValueError(backend.text(many)))
    return [items[i] for i in range(count)]


def groups(values: Any, key: Callable[[Any], Any] | None = None) -> Groups:
    """`itertools.groupby(values, key)`"""
    items: Any = builtins.call(list, (values,), {})
    keys = items if key is None else builtins.call(list, (builtins.call(map, (key, items), {}),), {})
    items, keys = [lists.staged_list(part) if isinstance(part, list) else part for part in (items, keys)]
    kind = TupleType((keys.type.element, items.type)) if keys.type.element is not None else None
    return Groups(recording.record("groups", (keys, items), ListType(kind)))
