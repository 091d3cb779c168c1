"""What each op does at run time: one table, beside the rules that give its type.

A rule is a Python expression with a hole per input, so that a graph becomes straight Python; what has
no short spelling calls a function of this module. NumPy's functions need no entry: the node holds the
call.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

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
    "either": "({0} or {1})",
    "contains": "({1} in {0})",
    "item": "{0}.item()",
    "dimension": "{0}.shape[{axis}]",
    "output": "{0}[{index}]",
    "convert": "convert({0}, {dtype})",
    "list_append": "append({0}, {1})",
    "list_set": "set_at({0}, {1}, {2})",
    "list_pop": "popped({0}, {1})",
    "list_copy": "list({0})",
    "list_get": "{0}[{1}]",
    "len": "len({0})",
    "range": "range({0}, {1}, {2})",
    "enumerate": "enumerate({0}, {1})",
    "reversed": "reversed({0})",
}


def convert(value: Any, dtype: np.dtype) -> Any:
    """A value with a dtype; NumPy's scalars and Python's become NumPy scalars."""
    if isinstance(value, np.ndarray):
        return value.astype(dtype)
    return dtype.type(value)


def append(values: list[Any], value: Any) -> list[Any]:
    values.append(value)
    return values


def set_at(values: list[Any], index: Any, value: Any) -> list[Any]:
    values[index] = value
    return values


def popped(values: list[Any], index: Any) -> tuple[list[Any], Any]:
    value = values.pop(index)
    return values, value


def assigned(array: np.ndarray, key: Any, value: Any) -> np.ndarray:
    array[key] = value
    return array


FUNCTIONS: dict[str, Callable[..., Any]] = {
    f.__name__: f for f in (convert, append, set_at, popped, assigned)
}
