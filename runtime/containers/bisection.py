"""The functions of `bisect`, for sorted lists, arrays and ranges that hold staged values.

A backend may have an operation for a search of a whole list. Any other search is the loop that Python runs,
and calls a key function for the same items.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .. import staging
from ..backends import Backend, staged_by
from ..backends.builtins import DISPATCHING
from . import lists
from .ordering import is_less, raise_if, select
from .statements import repeat_while


def bisecting(name: str) -> Callable[..., Any]:
    """Return the replacement for a function of `bisect` that searches a sorted list."""

    def bisect(
        backend: Backend,
        a: Any,
        x: Any,
        lo: Any = 0,
        hi: Any = None,
        *,
        key: Any = None,
    ) -> Any:
        own = getattr(backend, "bisect", None)
        is_whole = staged_by(lo) is None and lo == 0 and hi is None and key is None
        if own is not None and is_whole and (place := own(name, a, x)) is not NotImplemented:
            return place

        def is_before(item: Any) -> Any:
            item = item if key is None else key(item)
            return _not(is_less(x, item)) if name == "bisect_right" else is_less(item, x)

        return _search(backend, a, lo, hi, is_before)

    return bisect


def inserting(name: str) -> Callable[..., Any]:
    """Return the replacement for a function of `bisect` that inserts an item into a sorted list."""
    bisect = bisecting(name.replace("insort", "bisect"))

    def insort(backend: Backend, a: Any, x: Any, *bounds: Any, **options: Any) -> None:
        own = getattr(backend, "update_list", None)
        if own is not None and not bounds and not options:
            own(name, a, x)
            return
        key = options.get("key")
        place = bisect(backend, a, x if key is None else key(x), *bounds, **options)
        if isinstance(a, list):
            lists.insert(backend, a, place, x)
        else:
            a.insert(place, x)

    return insort


def _search(backend: Backend, values: Any, lo: Any, hi: Any, is_before: Callable[[Any], Any]) -> Any:
    """Return the place between two bounds after the items that are before the place."""
    lo, length = _as_int(lo), DISPATCHING[id(len)](values)
    raise_if(backend, lo < 0, ValueError("lo must be non-negative"))
    hi = length if hi is None else _as_int(hi)
    hi = select(backend, hi == -1, length, hi)  # as in Python's implementation in C
    if isinstance(values, (list, tuple)) and not values:
        raise_if(backend, lo < hi, IndexError(f"{type(values).__name__} index out of range"))
        return lo

    def test() -> Any:
        return lo < hi

    def body() -> None:
        nonlocal lo, hi
        middle = (lo + hi) // 2
        value = staging.get_item(values, middle) if staging.has_staged(middle) else values[middle]
        lo, hi = select(backend, is_before(value), (middle + 1, hi), (lo, middle))

    def get_state() -> tuple[Any, ...]:
        return lo, hi

    def set_state(state: tuple[Any, ...]) -> None:
        nonlocal lo, hi
        lo, hi = state

    repeat_while(test, body, get_state, set_state, ("the lower bound", "the upper bound"))
    return lo


def _as_int(value: Any) -> Any:
    """Return an index as an int.

    Raises:
        TypeError: the value is no integer.
    """
    DISPATCHING[id(range)](value)
    return DISPATCHING[id(int)](value)


def _not(test: Any) -> Any:
    backend = staged_by(test)
    return not test if backend is None else backend.not_(test)
