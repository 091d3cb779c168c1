"""Which arrays are parts of which memory, and copies of those that must not be."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .variables import Variable


def array_of(value: Any) -> Any:
    return value.array if isinstance(value, Variable) else value


def each_array(result: Any, change: Callable[[np.ndarray], Any]) -> Any:
    """A result with each array in it changed; one that a list holds twice may stand for two."""
    if isinstance(result, np.ndarray):
        return change(result)
    if isinstance(result, (list, tuple)):
        return type(result)([each_array(part, change) for part in result])
    return result


def memory_of(array: np.ndarray) -> np.ndarray:
    """The array whose memory an array is, or is a part of."""
    while isinstance(array.base, np.ndarray):
        array = array.base
    return array


def own_array(array: np.ndarray, variables: Sequence[Variable]) -> np.ndarray:
    """An array that does not change when a variable does."""
    return array.copy() if any(np.may_share_memory(array, v.array) for v in variables) else array


def copied(value: Any) -> Any:
    return value.copy() if isinstance(value, (np.ndarray, list)) else value


def overlap(first: Any, second: Any) -> bool:
    if isinstance(second, Variable):
        second = second.array
    if not isinstance(first, np.ndarray) or not np.may_share_memory(first, second):
        return False
    effort: Any = 100_000  # NumPy takes any int, its annotations two
    try:
        return np.shares_memory(first, second, max_work=effort)
    except np.exceptions.TooHardError:
        return True
