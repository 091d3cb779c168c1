"""Run-time semantics of ops, as Python expressions with one placeholder per input.

The compiler substitutes the operands, so a graph becomes straight-line Python. Ops without a short expression
call a function of this module. Calls to NumPy functions need no entry: their nodes refer to the function.
"""

from __future__ import annotations

import functools
import operator
import random
from collections.abc import Callable
from typing import Any

import numpy as np

from ...core.undefined import use_none
from ...errors import StagingError
from ...staging.state.side_effects import DRAWERS
from . import list_operations
from .graph import Missing

_INFIX = {
    "add": "+", "sub": "-", "mul": "*", "truediv": "/", "floordiv": "//", "mod": "%", "pow": "**",
    "matmul": "@", "lshift": "<<", "rshift": ">>", "and_": "&", "or_": "|", "xor": "^",
    "lt": "<", "le": "<=", "gt": ">", "ge": ">=", "eq": "==", "ne": "!=",
}  # fmt: skip

EXPRESSIONS: dict[str, str] = {
    **{name: f"({{0}} {sign} {{1}})" for name, sign in _INFIX.items()},
    "mul_in_place": "multiplied_in_place({0}, {1})",
    "neg": "(-{0})",
    "pos": "(+{0})",
    "abs": "abs({0})",
    "invert": "(~{0})",
    "not_": "(not {0})",
    "either": "bool({0} or {1})",
    "contains": "({1} in {0})",
    "int_of": "int({0}, {1})",
    "complex_of": "complex({0}, {1})",
    "bit_count": "{0}.bit_count()",
    "bit_length": "{0}.bit_length()",
    "item": "{0}.item()",
    "dimension": "{0}.shape[{axis}]",
    "convert": "convert({0}, {dtype})",
    "list_copy": "list({0})",
    "list_get": "{0}[{1}]",
    "list_zeros": "list_zeros({0})",
    "zeros_of": "zeros_of({0})",
    "list_some": "list_some({0})",
    "list_sum": "list_sum({0}, {1})",
    "deque": "deque({0}, {maxlen})",
    "len": "len({0})",
    "same": "{0}",
    "is_none": "({0} is None)",
    "is_same": "({0} is {1})",
    "member_name": "{0}.name",
    "member_value": "{0}.value",
    "none_or": "(None if {0} is None else {1})",
    "none_or_true": "(None if {0} is None else True)",
    "part_of_optional": "part_of_optional({0}, {path})",
    **list_operations.QUERIES,
}


def part_of_optional(value: Any, path: tuple[int, ...]) -> Any:
    """Return a part of nested tuples. Nothing reads it if there are none.

    >>> part_of_optional((1, (2, 3)), (1, 0))
    2
    """
    return Missing.VALUE if value is None else functools.reduce(operator.getitem, path, value)


def convert(value: Any, dtype: np.dtype) -> Any:
    """Cast a value to a dtype; a Python or NumPy scalar becomes a NumPy scalar."""
    if isinstance(value, np.ndarray):
        return value.astype(dtype)
    return dtype.type(value) if dtype.kind not in "SU" else np.asarray(value).astype(dtype)[()]


def multiplied_in_place(value: np.ndarray, factor: Any) -> np.ndarray:
    """Return what `value *= factor` gives. NumPy rounds complex products otherwise that overlap a factor.

    >>> multiplied_in_place(np.array([1 + 1j]), 2)
    array([2.+2.j])
    """
    result = value.copy()
    return np.multiply(result, result if factor is value else factor, out=result)


def list_zeros(values: list[Any]) -> list[Any]:
    """Return a list of zeros with the shapes of the given items."""
    return list(map(zeros_of, values))


def zeros_of(value: Any) -> Any:
    """Return a zero cotangent for a value. That of None is a number, which nothing reads."""
    if isinstance(value, list):
        return list_zeros(value)
    if isinstance(value, tuple):
        return tuple(map(zeros_of, value))
    if value is None:
        return 0.0
    if isinstance(value, Missing):
        return value
    return np.zeros_like(value) if isinstance(value, np.ndarray) else type(value)(0)


def list_some(values: list[Any]) -> list[Any]:
    """Return a list whose items may be None as one without None.

    Raises:
        StagingError: NumPy would make an array of objects of it.
    """
    if any(value is None for value in values):
        raise StagingError(
            "a NumPy function is given a list that contains None",
            why="NumPy would convert the list to an array of objects, which a graph cannot contain",
            remedy="use another value, such as np.nan or -1, or take the items that are not None",
        )
    return values


def list_sum(first: list[Any], second: list[Any]) -> list[Any]:
    return list(map(item_sum, first, second))


def item_sum(first: Any, second: Any) -> Any:
    if isinstance(first, list):
        return list_sum(first, second)
    if isinstance(first, tuple):
        return tuple(map(item_sum, first, second))
    return first if isinstance(second, Missing) else second if isinstance(first, Missing) else first + second


def insertion_index(values: list[Any], index: int) -> int:
    """Return the index at which to insert a value so that `pop(index)` returns it."""
    return len(values) + 1 + index if index < 0 else index


FUNCTIONS: dict[str, Callable[..., Any]] = {
    **{
        f.__name__: f
        for f in (
            convert,
            use_none,
            list_zeros,
            zeros_of,
            list_some,
            list_sum,
            item_sum,
            insertion_index,
            part_of_optional,
        )
    },
    "multiplied_in_place": multiplied_in_place,
    **list_operations.FUNCTIONS,
}


GENERATORS = {"numpy.random": np.random.rand.__self__, "random": random.random.__self__}  # type: ignore[attr-defined]
"""The global generators behind the functions of a module, by module name."""

_STATE_METHODS = ("get_state", "getstate", "set_state", "setstate", "spawn")
RANDOM_OPS = frozenset(
    f"random.{name}"
    for kind in DRAWERS
    for name in dir(kind)
    if not name.startswith("_") and name not in _STATE_METHODS and callable(getattr(kind, name))
)
"""Ops that draw random numbers: one per public method of a generator class."""


def draw(owner: Any, name: str, args: tuple, kwargs: dict[str, Any]) -> Any:
    """Call a method of a random number generator.

    >>> import numpy as np
    >>> draw(np.random.default_rng(0), "integers", (10,), {}) in range(10)
    True
    """
    return getattr(owner, name)(*args, **kwargs)
