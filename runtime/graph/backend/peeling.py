"""Peel the first item off an iterable, for loop peeling."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

from ..tracing.containers.iterables import (
    StagedIterable,
    as_iterable,
    staged_enumerate,
    staged_range,
    staged_reversed,
    staged_zip,
)
from ..tracing.containers.staged_lists import StagedList
from ..tracing.tensor import Tensor
from .builtins import IMPLEMENTATIONS

_length = IMPLEMENTATIONS[len]


def first_and_rest(
    iterated: Any, and_: Callable[[Any, Callable[[], Any]], Any]
) -> tuple[Any, Any, Any] | None:
    """Split an iterable into its first item and the rest.

    Return a condition that is true if there is an item, a function that returns the first item, and an
    iterable over the rest. Return None for an iterable that cannot be split. `and_` combines two conditions,
    which may be staged.
    """
    iterated = as_iterable(iterated)
    if isinstance(iterated, (Tensor, StagedList)):
        return _length(iterated) > 0, lambda: iterated[0], iterated[1:]
    if not isinstance(iterated, StagedIterable):
        return None
    inputs = iterated.inputs
    if iterated.op == "range" and isinstance(inputs[2], int):
        start, stop, step = inputs
        has_item = start < stop if step > 0 else start > stop
        return has_item, lambda: start, staged_range(start + step, stop, step)
    if iterated.op == "reversed" and getattr(inputs[0], "op", "") == "range":
        start, stop, step = inputs[0].inputs
        if step == 1:
            last = stop - 1
            return start < stop, lambda: last, staged_reversed(staged_range(start, last, step))
    if iterated.op == "reversed" and isinstance(inputs[0], (Tensor, StagedList)):
        return _length(inputs[0]) > 0, lambda: inputs[0][-1], staged_reversed(inputs[0][:-1])
    if iterated.op == "enumerate" and (inner := first_and_rest(inputs[0], and_)):
        has_item, first, rest = inner
        return has_item, lambda: (inputs[1], first()), staged_enumerate(rest, inputs[1] + 1)
    if iterated.op == "zip" and not iterated.attrs["strict"]:
        parts = [part for part in (first_and_rest(i, and_) for i in inputs) if part is not None]
        if parts and len(parts) == len(inputs):
            has_items, firsts, rests = zip(*parts, strict=True)
            return _all(has_items, and_), lambda: tuple([first() for first in firsts]), staged_zip(*rests)
    return None


def _all(conditions: Sequence[Any], and_: Callable[[Any, Callable[[], Any]], Any]) -> Any:
    """Return the conjunction of conditions: a plain False if any of them is a plain False."""
    if any(condition is False for condition in conditions):
        return False
    staged = [condition for condition in conditions if condition is not True]
    return functools.reduce(lambda a, b: and_(a, lambda: b), staged) if staged else True
