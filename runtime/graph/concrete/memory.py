"""Detect arrays that share memory, and copy them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..state.variables import Variable


def array_of(value: Any) -> Any:
    """Return the array of a Variable, or the value itself."""
    return value.array if isinstance(value, Variable) else value


def copy_where(result: Any, test: Callable[[np.ndarray], bool]) -> Any:
    """Copy the arrays in a result that pass a test."""
    if isinstance(result, np.ndarray):
        return result.copy() if test(result) else result
    if isinstance(result, (list, tuple)):
        return type(result)([copy_where(part, test) for part in result])
    return result


def memory_of(array: np.ndarray) -> np.ndarray:
    """Return the array that owns the memory of an array."""
    while isinstance(array.base, np.ndarray):
        array = array.base
    return array


def copied(value: Any) -> Any:
    return value.copy() if isinstance(value, (np.ndarray, list)) else value


def overlap(first: Any, second: Any) -> bool:
    """Return whether an array shares memory with another array or a Variable."""
    second = array_of(second)
    if not isinstance(first, np.ndarray) or not np.may_share_memory(first, second):
        return False
    max_work: Any = 100_000  # NumPy's annotations allow only two values
    try:
        return np.shares_memory(first, second, max_work=max_work)
    except np.exceptions.TooHardError:
        return True
