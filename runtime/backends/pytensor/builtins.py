"""Python's builtins, and functions of `math`, on PyTensor's variables."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NoReturn

import numpy as np
import pytensor.tensor as pt

from ...errors import UnsupportedFunctionError
from ..builtins import MATH, is_of_numpy
from ..functional.builtins import extremum, total
from ..functional.iterables import StagedSequence
from ..functional.staged_text import formatted_text
from .items import length_of
from .numpy import call_numpy, stacked
from .operators import is_tensor
from .stacked_lists import array_of


def call_library(function: Callable[..., Any], args: tuple, kwargs: dict[str, Any]) -> Any:
    """Call PyTensor's counterpart of a function of `math` or NumPy."""
    if is_of_numpy(function):
        return call_numpy(function, args, kwargs)
    counterpart = getattr(pt, _NAMES.get(function.__name__, function.__name__), None)
    if counterpart is None or function not in MATH or function in _REFUSED:
        raise UnsupportedFunctionError(
            f"{function.__name__}() was called on a PyTensor variable",
            why="PyTensor has no counterpart of this function",
            remedy="use functions of pytensor.tensor instead",
        )
    return counterpart(*args, **kwargs)


_NAMES = {
    "asin": "arcsin", "acos": "arccos", "atan": "arctan", "atan2": "arctan2", "asinh": "arcsinh",
    "acosh": "arccosh", "atanh": "arctanh", "lgamma": "gammaln",
}  # fmt: skip
_REFUSED = frozenset((math.factorial, math.gcd, math.lcm, math.comb, math.perm, math.dist, math.fmod))


def _print(*_: Any, **__: Any) -> NoReturn:
    raise UnsupportedFunctionError(
        "print() was called on a PyTensor variable",
        why="a graph of PyTensor computes results and has no effects",
        remedy="use x = pytensor.printing.Print('x')(x), which prints x when it is computed",
    )


def _filter(*_: Any) -> NoReturn:
    raise UnsupportedFunctionError(
        "filter() cannot be applied to PyTensor variables",
        why="the number of items that it keeps is known only when the graph runs",
        remedy="use a mask: x[x > 0]",
    )


def _len(value: Any) -> Any:
    if isinstance(value, StagedSequence):
        return value.length
    value = array_of(value)
    if not value.ndim:
        raise TypeError("len() of unsized object")
    return length_of(value)


def _cast(value: Any, dtype: str) -> Any:
    if not is_tensor(value):
        return np.dtype(dtype).type(value).item()
    if value.ndim and math.prod(n or 0 for n in value.type.shape) != 1:
        raise TypeError("only 0-dimensional arrays can be converted to Python scalars")
    return pt.cast(value.reshape(()) if value.ndim else value, dtype)


def _rounded(function: Callable[[Any], Any]) -> Callable[[Any], Any]:
    return lambda value: value if np.dtype(value.dtype).kind in "iu" else pt.cast(function(value), "int64")


def round_(value: Any, digits: Any = None) -> Any:
    if digits is None:
        return _rounded(pt.round)(value)
    return value if np.dtype(value.dtype).kind in "iu" else pt.round(value * 10.0**digits) / 10.0**digits


def _extremum(pairwise: Callable[..., Any], reduce: Callable[..., Any]) -> Callable[..., Any]:
    message = "the truth value of an array with more than one element is ambiguous"
    return extremum(pt.TensorVariable, pairwise, reduce, lambda: ValueError(message))


def _sorted(values: Any, *, key: Any = None, reverse: bool = False) -> Any:
    if key is not None:
        raise UnsupportedFunctionError(
            "sorted() of PyTensor variables was called with a key",
            why="PyTensor sorts by value",
            remedy="use pt.argsort of the keys",
        )
    ordered = pt.sort(stacked(values))
    return list(ordered[::-1] if reverse else ordered) if ordered.type.shape[0] is not None else ordered


BUILTINS: dict[Any, Callable[..., Any]] = {
    print: _print,
    filter: _filter,
    len: _len,
    int: lambda value: _cast(value, "int64"),
    float: lambda value: _cast(value, "float64"),
    complex: lambda value: _cast(value, "complex128"),
    bool: lambda value: _cast(value, "bool"),
    str: lambda value: formatted_text(value, "s"),
    repr: lambda value: formatted_text(value, "r"),
    min: _extremum(lambda a, b: pt.switch(pt.lt(b, a), b, a), pt.min),
    max: _extremum(lambda a, b: pt.switch(pt.gt(b, a), b, a), pt.max),
    sum: total(pt.TensorVariable, lambda tensor: pt.sum(tensor, axis=0)),
    any: lambda values: pt.any(stacked(values)),
    all: lambda values: pt.all(stacked(values)),
    sorted: _sorted,
    list: list,
    tuple: tuple,
    isinstance: isinstance,
    type: type,
    math.floor: _rounded(pt.floor),
    math.ceil: _rounded(pt.ceil),
    math.trunc: _rounded(pt.trunc),
    math.fabs: lambda value: pt.abs(pt.cast(value, "float64")),
    math.pow: lambda a, b: pt.pow(pt.cast(a, "float64"), b),
}
