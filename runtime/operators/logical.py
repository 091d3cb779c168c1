"""Operators for `and`, `or`, `not`, truth tests and membership."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping, Set, ValuesView
from operator import eq, ge, gt, le, lt, ne
from typing import Any

from .. import staging
from ..backends import BACKENDS, has_backends
from ..core.active_backends import ACTIVE
from ..core.traces import TRACES
from ..debugging.tracebacks import drop_current_frame


def and_(a: Callable[[], Any], b: Callable[[], Any]) -> Any:
    """`a() and b()`"""
    try:
        left = a()
        return b() if left is True else and_rest(left, b)
    except BaseException as error:
        drop_current_frame(error)
        raise


def and_rest(left: Any, b: Callable[[], Any]) -> Any:
    """`left and b()`"""
    try:
        if left is False:
            return left
        backend = BACKENDS[type(left)]
        if backend is None and _is_staged_object(left):
            return staging.and_object(left, b)
        if backend is not None and backend.is_staged(left):
            return backend.and_(left, b)
        return left and b()
    except BaseException as error:
        drop_current_frame(error)
        raise


def or_(a: Callable[[], Any], b: Callable[[], Any]) -> Any:
    """`a() or b()`"""
    try:
        left = a()
        return b() if left is False else or_rest(left, b)
    except BaseException as error:
        drop_current_frame(error)
        raise


def or_rest(left: Any, b: Callable[[], Any]) -> Any:
    """`left or b()`"""
    try:
        if left is True:
            return left
        backend = BACKENDS[type(left)]
        if backend is None and _is_staged_object(left):
            return staging.or_object(left, b)
        if backend is not None and backend.is_staged(left):
            return backend.or_(left, b)
        return left or b()
    except BaseException as error:
        drop_current_frame(error)
        raise


def _is_staged_object(value: Any) -> bool:
    """Return whether the truth of a value of no backend may be staged."""
    return bool(TRACES) or (bool(ACTIVE) and staging.is_optional(value))


def not_(a: Any) -> Any:
    """`not a`"""
    if a is True:
        return False
    if a is False:
        return True
    try:
        backend = BACKENDS[type(a)]
        if backend is None and ACTIVE:
            a, backend = staging.truth(a)
        if backend is not None and backend.is_staged(a):
            return backend.not_(a)
        return not a
    except BaseException as error:
        drop_current_frame(error)
        raise


def is_(first: Any, second: Any) -> Any:
    """`first is second`"""
    if first is second or not ACTIVE:
        return first is second
    return staging.identical(first, second)


def is_none(value: Any) -> Any:
    """`value is None`"""
    if value is None:
        return True
    backend = BACKENDS[type(value)]
    if backend is None:
        return bool(ACTIVE) and staging.is_none(value)
    test = getattr(backend, "is_none", None)
    return False if test is None else test(value)


def compare(left: Any, sign: str, right: Any) -> Any:
    """`left == right`, or another comparison, whose sign is given"""
    try:
        if ACTIVE and sign in _USES:
            left, right = (staging.used(value, _USES[sign], ()) for value in (left, right))
        if isinstance(left, _CONTAINERS) and isinstance(right, _CONTAINERS) and has_backends():
            from ..containers import ordering  # noqa: PLC0415 - needed by traces only

            return ordering.compare(left, sign, right)
        return _COMPARISONS[sign](left, right)
    except BaseException as error:
        drop_current_frame(error)
        raise


_CONTAINERS = (tuple, list, dict, deque)
_USES = {"<": "lt", "<=": "le", ">": "gt", ">=": "ge"}
_COMPARISONS = {"==": eq, "!=": ne, "<": lt, "<=": le, ">": gt, ">=": ge}


def truth(value: Any) -> Any:
    """Return `bool(value)` for a value of a builtin type, else `value`, which may be staged."""
    kind = type(value)
    return bool(value) if kind in _PLAIN and BACKENDS[kind] is None else value


_PLAIN = frozenset((int, float, str, bytes, list, tuple, dict, set, type(None)))


def in_(item: Any, container: Any) -> Any:
    """`item in container`"""
    try:
        result = _contains(item, container) if has_backends() else None
        return item in container if result is None else result
    except BaseException as error:
        drop_current_frame(error)
        raise


def not_in(item: Any, container: Any) -> Any:
    """`item not in container`"""
    try:
        result = _contains(item, container) if has_backends() else None
        return item not in container if result is None else not_(result)
    except BaseException as error:
        drop_current_frame(error)
        raise


def _contains(item: Any, container: Any) -> Any:
    """Return `item in container` if either operand is staged, else None."""
    if ACTIVE:
        if hasattr(type(container), "ag__rest"):
            container = container.ag__rest(takes_all=False)
        container = staging.used(container, "contains", item)
    if isinstance(container, (Mapping, Set)) and staging.has_staged(item):
        from ..containers import keyed  # noqa: PLC0415 - needed by staged keys only

        keys = keyed.keys_of(container)
        if keys is not None:
            return keyed.contains(staging.owner_of(item), item, keys)
    if isinstance(container, ValuesView):
        container = list(container)
    return staging.contains(item, container)
