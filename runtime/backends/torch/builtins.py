"""Python's builtins, and functions of `math`, on PyTorch's staged tensors."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any

import torch

from ... import staging
from ...core.rolling_attempts import note_use
from ...errors import UnsupportedFunctionError
from ...values.structures import flatten
from ..builtins import DISPATCHING, MATH, is_of_numpy, original
from ..functional.builtins import extremum, replacing, staged_len, total
from ..functional.staged_text import Text, formatted_text
from .effects import print_values
from .numpy import call_numpy, is_tensor
from .numpy import replaced as replaced_numpy
from .private import promoted


def call_library(function: Callable[..., Any], args: tuple, kwargs: dict[str, Any]) -> Any:
    """Call torch's counterpart of a function of `math` or NumPy."""
    if is_of_numpy(function):
        return call_numpy(function, args, kwargs)
    counterpart = getattr(torch, function.__name__, None)
    if counterpart is None or function not in MATH or function is math.factorial:
        raise UnsupportedFunctionError(
            f"{function.__name__}() was called on a staged tensor",
            why="PyTorch has no counterpart of this function",
            remedy="use torch functions instead",
        )
    return counterpart(*map(_tensor, args), **kwargs)


def _tensor(value: Any) -> torch.Tensor:
    return value if isinstance(value, torch.Tensor) else torch.full((), value)


def _print(
    *values: Any, sep: str | None = " ", end: str | None = "\n", file: Any = None, flush: bool = False
) -> None:
    if file is not None:
        raise UnsupportedFunctionError(
            "print() of a staged value with the argument `file` cannot be staged",
            why="a graph writes only to standard output",
            remedy="omit `file`",
        )
    if any(map(is_tensor, flatten([v for v in values if isinstance(v, (list, tuple, dict))])[0])):
        note_use("print of a container")
    print_values(values, sep, end)


def _filter(*_: Any) -> Any:
    raise UnsupportedFunctionError(
        "filter() cannot be applied to staged values",
        why="the number of items that it keeps is known only when the graph runs",
        remedy="use a mask: torch.where(x > 0, x, 0)",
    )


def _cast(value: Any, dtype: torch.dtype) -> Any:
    value = _tensor(value)
    if value.numel() != 1:
        raise RuntimeError(f"a Tensor with {value.numel()} elements cannot be converted to Scalar")
    return value.reshape(()).to(dtype)


def _text(value: Any, conversion: str) -> Text:
    staging.owner_of_text(value)
    return formatted_text(value, conversion)


def _round(value: Any, digits: int | None = None) -> Any:
    if digits is None:
        return torch.round(value).to(torch.int64)
    return torch.round(value, decimals=digits) if value.is_floating_point() else value


def _to_integer(function: Callable[..., Any]) -> Callable[..., Any]:
    return lambda value: function(value).to(torch.int64)


def _extremum(pairwise: Callable[..., Any], reduce: Callable[..., Any]) -> Callable[..., Any]:
    def promoting(a: Any, b: Any) -> torch.Tensor:
        a, b = _tensor(a), _tensor(b)
        dtype = promoted(a.dtype, b.dtype)
        return pairwise(a.to(dtype), b.to(dtype))

    message = "Boolean value of Tensor with more than one value is ambiguous"
    return extremum(torch.Tensor, promoting, reduce, lambda: RuntimeError(message))


def _sorted(values: Any, *, key: Any = None, reverse: bool = False) -> Any:
    return list(torch.sort(_stacked(values), descending=reverse).values)


def _stacked(values: Any) -> torch.Tensor:
    return values if isinstance(values, torch.Tensor) else torch.stack([_tensor(v) for v in values])


BUILTINS: dict[Any, Callable[..., Any]] = {
    print: _print,
    filter: _filter,
    len: functools.partial(staged_len, unsized="a 0-d tensor"),
    int: lambda value: value if isinstance(value, torch.SymInt) else _cast(value, torch.int64),
    float: lambda value: _cast(value, torch.float64),
    complex: lambda value: _cast(value, torch.complex128),
    bool: lambda value: _cast(value, torch.bool),
    str: lambda value: _text(value, "s"),
    repr: lambda value: _text(value, "r"),
    original(min): _extremum(torch.minimum, torch.min),
    original(max): _extremum(torch.maximum, torch.max),
    sum: total(torch.Tensor, lambda tensor: tensor.sum(0)),
    any: lambda values: _stacked(values).any(),
    all: lambda values: _stacked(values).all(),
    sorted: _sorted,
    list: list,
    tuple: tuple,
    isinstance: isinstance,
    type: type,
    math.floor: _to_integer(torch.floor),
    math.ceil: _to_integer(torch.ceil),
    math.trunc: _to_integer(torch.trunc),
    math.fabs: torch.abs,
}

_REPLACEMENTS: dict[Any, Callable[..., Any]] = {round: _round, divmod: lambda a, b: (a // b, a % b)}
"""Replacements for builtins that call a method that tensors lack."""


def replaced(function: Any) -> Callable[..., Any] | None:
    if isinstance(function, functools.partial):  # torch's replacement for min or max
        return DISPATCHING.get(id(function.keywords.get("real_callable")))
    replacement = _REPLACEMENTS.get(function) if type(function) is type(round) else None
    return replaced_numpy(function) if replacement is None else replacing(function, is_tensor, replacement)
