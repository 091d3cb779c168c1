"""Functions that inspect the values of their arguments, and so need replacements for staged arguments."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any

import numpy as np


def original(function: Any) -> Any:
    """Return the Python function behind `function`; PyTorch replaces some builtins during an export."""
    return function.keywords["real_callable"] if isinstance(function, functools.partial) else function


PYTHON = (
    print, len, range, enumerate, zip, reversed, original(min), original(max), sum, any, all, sorted, map,
    filter, int, float, bool, complex, str, repr, list, tuple, isinstance, type,
)  # fmt: skip
MATH = tuple(f for n, f in vars(math).items() if callable(f) and not n.startswith("_"))
NUMPY = tuple(
    getattr(np, n)
    for n in (
        "array", "asarray", "asanyarray", "ascontiguousarray", "asfortranarray", "require",
        "zeros", "ones", "empty", "full", "eye", "identity",
        "arange", "linspace", "logspace", "geomspace", "tri", "indices", "float64", "float32", "float16",
        "int64", "int32", "int16", "int8", "uint64", "uint32", "uint16", "uint8", "bool_", "complex128",
        "complex64", "shape", "ndim", "size", "stack", "concatenate", "vstack", "hstack", "meshgrid",
    )
)  # fmt: skip


def is_of_numpy(function: Any) -> bool:
    """Return whether a callable belongs to NumPy, or is a ufunc of any package."""
    if isinstance(function, np.ufunc):
        return True
    module = getattr(function, "__module__", None)
    return isinstance(module, str) and module.partition(".")[0] == "numpy" and callable(function)


DISPATCHING: dict[int, Callable[..., Any]] = {}
"""Functions that converted code calls in place of others, by id of the original. Filled by the operators."""

CONVERSIONS: dict[str, Callable[[Any], Any]] = {"": lambda value: value, "r": repr, "s": str, "a": ascii}
"""The conversion functions of f-strings, by the letter after the `!`."""


def formatted(value: Any, conversion: str, spec: str) -> str:
    """Format a value as an f-string does, or as `%` does if the conversion is "%" and `spec` its format."""
    return spec % (value,) if conversion == "%" else format(CONVERSIONS[conversion](value), spec)
