"""Comparison, sorting and selection of plain lists whose items or keys are staged."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from .. import staging
from ..backends import Backend, staged_by


def is_less(first: Any, second: Any) -> Any:
    """Return whether `first < second`. Tuples and lists compare lexicographically."""
    if not (isinstance(first, (tuple, list)) and type(first) is type(second)):
        return first < second
    result: Any = len(first) < len(second)
    for one, other in reversed(list(zip(first, second, strict=False))):
        result = is_less(one, other) | (is_equal(one, other) & result)
    return result


def is_equal(first: Any, second: Any) -> Any:
    if not (isinstance(first, (tuple, list)) and type(first) is type(second)):
        return first == second
    result: Any = len(first) == len(second)
    for one, other in zip(first, second, strict=False):
        result = is_equal(one, other) & result
    return result
