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
    "either": "bool({0} or {1})",
    "contains": "({1} in {0})",
    "item": "{0}.item()",
    "dimension": "{0}.shape[{axis}]",
    "convert": "convert({0}, {dtype})",
    "list_copy": "list({0})",
    "list_get": "{0}[{1}]",
    "len": "len({0})",
}


def convert(value: Any, dtype: np.dtype) -> Any:
    """A value with a dtype; NumPy's scalars and Python's become NumPy scalars."""
    if isinstance(value, np.ndarray):
        return value.astype(dtype)
    return dtype.type(value) if dtype.kind not in "SU" else np.asarray(value).astype(dtype)[()]


FUNCTIONS: dict[str, Callable[..., Any]] = {"convert": convert}
