"""Builtins of Python that reduce values one after the other, over arrays of whichever system."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..errors import UnsupportedFunctionError

_NONE = object()


def extreme(
    array: Any,
    pairwise: Callable[[Any, Any], Any],
    whole: Callable[[Any], Any],
    ambiguous: Callable[[], Exception],
    instead: str,
) -> Callable[..., Any]:
    """`min` or `max`: `pairwise` of two values, `whole` of all items of an `array` of one dimension."""

    def call(*args: Any, key: Any = None, default: Any = _NONE) -> Any:
        if key is not None:
            raise UnsupportedFunctionError(
                "min() or max() with a key cannot be staged",
                why="there is no operation that calls a function for each item and compares by it",
                remedy=f"index by {instead} of the keys",
            )
        if len(args) == 1:
            [values] = args
            if isinstance(values, array):
                if values.ndim > 1:
                    raise ambiguous()
                return whole(values)
            args = tuple(values)
        if not args:
            if default is _NONE:
                raise ValueError("min() or max() of an empty sequence")
            return default
        best = args[0]
        for value in args[1:]:
            best = pairwise(best, value)
        return best

    return call


def total(array: Any, whole: Callable[[Any], Any]) -> Callable[..., Any]:
    """`sum`: `whole` is that over the first axis."""

    def call(values: Any, start: Any = 0) -> Any:
        if isinstance(values, array):
            made = whole(values)
            return made if isinstance(start, int) and start == 0 else made + start
        for value in values:
            start = start + value
        return start

    return call
