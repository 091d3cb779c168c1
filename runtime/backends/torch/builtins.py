"""Python's builtins, and functions of `math`, on PyTorch's staged tensors."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any

import torch

from ... import staging
from ...builtins import DISPATCHING, PYTHON, is_of_numpy
from ...errors import UnsupportedFunctionError
from ..iterables import StagedSequence
from ..python import extreme, total
from ..texts import Text
from .capture import promoted
from .effects import print_values
from .numpy import call_numpy
from .numpy import replaced as replaced_numpy


def call(backend: Any, function: Callable[..., Any], args: tuple, kwargs: dict[str, Any]) -> Any:
    if function in _SHALLOW and not any(map(backend.is_staged, args)):
        return function(*args, **kwargs)
    if function in (range, enumerate, zip, reversed):
        return backend.iterable(function, args, kwargs)
    if function is print:
        return _print(*args, **kwargs)
    if function is map:
        return [args[0](*element) for element in backend.iterable(zip, args[1:], {})]
    if function is filter:
        raise UnsupportedFunctionError(
            "filter() of staged values cannot be staged",
            why="how many it leaves is known only when the program runs",
            remedy="use a mask: torch.where(x > 0, x, 0)",
        )
    own = _FUNCTIONS.get(function)
    if own is not None:
        return own(*args, **kwargs)
    if is_of_numpy(function):
        return call_numpy(function, args, kwargs)
    named = getattr(torch, function.__name__, None)
    if named is None or function not in _MATH:
        raise UnsupportedFunctionError(
            f"{function.__name__}() was called on a staged tensor",
            why="PyTorch has no function for it",
            remedy="use functions of torch",
        )
    return named(*map(_tensor, args), **kwargs)


_PYTHON = {function.__name__: function for function in PYTHON}
"""Python's own, by name: torch puts others in their place while it exports."""

_SHALLOW = frozenset((len, bool, enumerate, zip, reversed, list, tuple, isinstance, type, map, filter))
"""What looks at its own arguments only, and not at what a list among them holds."""

_MATH = frozenset(
    f for n, f in vars(math).items() if callable(f) and n != "factorial" and not n.startswith("_")
)


def _tensor(value: Any) -> torch.Tensor:
    return value if isinstance(value, torch.Tensor) else torch.full((), value)


def _print(
    *values: Any, sep: str | None = " ", end: str | None = "\n", file: Any = None, flush: bool = False
) -> None:
    if file is not None:
        raise UnsupportedFunctionError(
            "print() of a staged value with `file` cannot be staged",
            why="a program writes to the standard output alone",
            remedy="leave out `file`",
        )
    print_values(values, sep, end)


def _len(value: Any) -> Any:
    if isinstance(value, StagedSequence):
        return value.length
    if not value.ndim:
        raise TypeError("len() of a 0-d tensor")
    return value.shape[0]


def _cast(value: Any, dtype: torch.dtype) -> Any:
    value = _tensor(value)
    if value.numel() != 1:
        raise RuntimeError(f"a Tensor with {value.numel()} elements cannot be converted to Scalar")
    return value.reshape(()).to(dtype)


def _text(value: Any, conversion: str) -> Text:
    staging.refuse_text(value)
    return Text([(0, conversion, "")], [value])


def _round(value: Any, digits: int | None = None) -> Any:
    if digits is None:
        return torch.round(value).to(torch.int64)
    return torch.round(value, decimals=digits) if value.is_floating_point() else value


def _whole(function: Callable[..., Any]) -> Callable[..., Any]:
    return lambda value: function(value).to(torch.int64)


def _ambiguous() -> Exception:
    return RuntimeError("Boolean value of Tensor with more than one value is ambiguous")


def _extreme(pairwise: Callable[..., Any], whole: Callable[..., Any], instead: str) -> Callable[..., Any]:
    def alike(a: Any, b: Any) -> torch.Tensor:
        a, b = _tensor(a), _tensor(b)
        dtype = promoted(a.dtype, b.dtype)
        return pairwise(a.to(dtype), b.to(dtype))

    return extreme(torch.Tensor, alike, whole, _ambiguous, f"torch.{instead}")


def _sorted(values: Any, *, key: Any = None, reverse: bool = False) -> Any:
    if key is not None:
        raise UnsupportedFunctionError(
            "sorted() with a key cannot be staged",
            why="PyTorch has no operation that calls a function for each item and sorts by it",
            remedy="index by torch.argsort of the keys: x[torch.argsort(-x)]",
        )
    return list(torch.sort(_joined(values), descending=reverse).values)


def _joined(values: Any) -> torch.Tensor:
    return values if isinstance(values, torch.Tensor) else torch.stack([_tensor(v) for v in values])


_FUNCTIONS: dict[Any, Callable[..., Any]] = {
    len: _len,
    int: lambda value: value if isinstance(value, torch.SymInt) else _cast(value, torch.int64),
    float: lambda value: _cast(value, torch.float64),
    complex: lambda value: _cast(value, torch.complex128),
    bool: lambda value: _cast(value, torch.bool),
    str: lambda value: _text(value, "s"),
    repr: lambda value: _text(value, "r"),
    _PYTHON["min"]: _extreme(torch.minimum, torch.min, "argmin"),
    _PYTHON["max"]: _extreme(torch.maximum, torch.max, "argmax"),
    sum: total(torch.Tensor, lambda tensor: tensor.sum(0)),
    any: lambda values: _joined(values).any(),
    all: lambda values: _joined(values).all(),
    sorted: _sorted,
    list: list,
    tuple: tuple,
    isinstance: isinstance,
    type: type,
    math.floor: _whole(torch.floor),
    math.ceil: _whole(torch.ceil),
    math.trunc: _whole(torch.trunc),
    math.fabs: torch.abs,
}

REPLACED: dict[Any, Callable[..., Any]] = {round: _round, divmod: lambda a, b: (a // b, a % b)}
"""Builtins that ask their argument for a method that tensors lack."""


def replaced(function: Any) -> Callable[..., Any] | None:
    if isinstance(function, functools.partial):  # what export puts in the place of min and max
        return DISPATCHING.get(id(function.keywords.get("real_callable")))
    own = REPLACED.get(function) if type(function) is type(round) else None
    if own is None:
        return replaced_numpy(function)

    def call(*args: Any, **kwargs: Any) -> Any:
        return (own if any(isinstance(a, torch.Tensor) for a in args) else function)(*args, **kwargs)

    return call
