"""The first item of what a loop iterates, and the others."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

from .builtins import IMPLEMENTATIONS
from .iterables import (
    StagedIterable,
    as_iterable,
    staged_enumerate,
    staged_range,
    staged_reversed,
    staged_zip,
)
from .staged import StagedList, Tensor

_length = IMPLEMENTATIONS[len]


def first_and_rest(
    iterated: Any, both: Callable[[Any, Callable[[], Any]], Any]
) -> tuple[Any, Any, Any] | None:
    """Whether there is an item, what gives the first, and an iterable of the others; None of unknown kinds.

    `both` is `and` of truth values that may be staged.
    """
    iterated = as_iterable(iterated)
    if isinstance(iterated, (Tensor, StagedList)):
        return _length(iterated) > 0, lambda: iterated[0], iterated[1:]
    if not isinstance(iterated, StagedIterable):
        return None
    inputs = iterated.inputs
    if iterated.op == "range" and isinstance(inputs[2], int):
        start, stop, step = inputs
        is_there = start < stop if step > 0 else start > stop
        return is_there, lambda: start, staged_range(start + step, stop, step)
    if iterated.op == "reversed" and isinstance(inputs[0], (Tensor, StagedList)):
        return _length(inputs[0]) > 0, lambda: inputs[0][-1], staged_reversed(inputs[0][:-1])
    if iterated.op == "enumerate" and (inner := first_and_rest(inputs[0], both)):
        is_there, first, rest = inner
        return is_there, lambda: (inputs[1], first()), staged_enumerate(rest, inputs[1] + 1)
    if iterated.op == "zip" and not iterated.attrs["strict"]:
        parts = [part for part in (first_and_rest(i, both) for i in inputs) if part is not None]
        if parts and len(parts) == len(inputs):
            return (
                _all([part[0] for part in parts], both),
                lambda: tuple([p[1]() for p in parts]),
                staged_zip(*(p[2] for p in parts)),
            )
    return None


def _all(conditions: Sequence[Any], both: Callable[[Any, Callable[[], Any]], Any]) -> Any:
    """All of them: False where the trace knows of one that fails."""
    if any(holds is False for holds in conditions):
        return False
    staged = [holds for holds in conditions if holds is not True]
    return functools.reduce(lambda a, b: both(a, lambda: b), staged) if staged else True
