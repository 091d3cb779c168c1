"""What each op does at run time: one table, beside the rules that give its type.

A rule is a Python expression with a hole per input, so that a graph becomes straight Python; what has
no short spelling calls a function of this module. NumPy's functions need no entry: the node holds the
call.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .ir import Missing

_INFIX = {
    "add": "+", "sub": "-", "mul": "*", "truediv": "/", "floordiv": "//", "mod": "%", "pow": "**",
    "matmul": "@", "lshift": "<<", "rshift": ">>", "and_": "&", "or_": "|", "xor": "^",
    "lt": "<", "le": "<=", "gt": ">", "ge": ">=", "eq": "==", "ne": "!=",
}  # fmt: skip

EXPRESSIONS: dict[str, str] = {
    **{name: f"({{0}} {sign} {{1}})" for name, sign in _INFIX.items()},
    "neg": "(-{0})",
    "pos": "(+{0})",
    "abs": "abs({0})",
    "invert": "(~{0})",
    "not_": "(not {0})",
    "either": "bool({0} or {1})",
    "contains": "({1} in {0})",
    "item": "{0}.item()",
    "dimension": "{0}.shape[{axis}]",
    "convert": "convert({0}, {dtype})",
    "list_copy": "list({0})",
    "list_get": "{0}[{1}]",
    "list_zeros": "list_zeros({0})",
    "list_sum": "list_sum({0}, {1})",
    "len": "len({0})",
    "same": "{0}",
}


def convert(value: Any, dtype: np.dtype) -> Any:
    """A value with a dtype; NumPy's scalars and Python's become NumPy scalars."""
    if isinstance(value, np.ndarray):
        return value.astype(dtype)
    return dtype.type(value) if dtype.kind not in "SU" else np.asarray(value).astype(dtype)[()]


def list_zeros(values: list[Any]) -> list[Any]:
    """A list of zeros in the shapes of a list's items."""
    return [_zeros(value) for value in values]


def _zeros(value: Any) -> Any:
    if isinstance(value, list):
        return list_zeros(value)
    if isinstance(value, tuple):
        return tuple(map(_zeros, value))
    if isinstance(value, Missing):
        return value
    return np.zeros_like(value) if isinstance(value, np.ndarray) else type(value)(0)


def list_sum(first: list[Any], second: list[Any]) -> list[Any]:
    """The sums of the items of two lists."""
    return [item_sum(a, b) for a, b in zip(first, second, strict=True)]


def item_sum(first: Any, second: Any) -> Any:
    if isinstance(first, list):
        return list_sum(first, second)
    if isinstance(first, tuple):
        return tuple(map(item_sum, first, second))
    return first if isinstance(second, Missing) else second if isinstance(first, Missing) else first + second


def place_for(values: list[Any], index: int) -> int:
    """Where to insert a value for `pop(index)` to take it."""
    return len(values) + 1 + index if index < 0 else index


FUNCTIONS: dict[str, Callable[..., Any]] = {
    f.__name__: f for f in (convert, list_zeros, list_sum, item_sum, place_for)
}
