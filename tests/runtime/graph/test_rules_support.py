"""Compare a type rule with NumPy.

A *call* is a function with its arguments. Every NumPy array in them is staged; `Constant` holds
one that is not, and `Python` holds a Python number that is. NumPy runs on the values, the rule on
their types: with all dimensions known the two must agree, in the error too; with dimensions
masked, the rule must not contradict NumPy.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np

from autograph_rs.runtime.errors import StagingError
from autograph_rs.runtime.graph.ir.types import ArrayType, ScalarType
from autograph_rs.runtime.graph.rules import as_type

DTYPES = (np.bool_, np.int32, np.int64, np.float32, np.float64, np.complex128)
SHAPES = ((), (0,), (1,), (3,), (2, 3), (3, 3), (0, 3), (2, 1, 4))


@dataclass(frozen=True)
class Constant:
    """An array that the user's function holds, not one that is staged."""

    value: Any


@dataclass(frozen=True)
class Python:
    """A staged Python number, truth value or string."""

    value: Any


def filled(dtype: Any, *shape: int) -> np.ndarray:
    """Small whole numbers, none of them zero, and different where there is room."""
    return (np.arange(int(np.prod(shape))) % 5 + 1).reshape(shape).astype(dtype)


def matrix(dtype: Any, *shape: int) -> np.ndarray:
    """A stack of symmetric positive definite matrices."""
    side = shape[-1]
    return np.broadcast_to(np.eye(side) * side + 1, shape).astype(dtype)


def assorted(
    shapes: tuple[tuple[int, ...], ...] = SHAPES, dtypes: tuple[Any, ...] = DTYPES
) -> list[np.ndarray]:
    return [filled(dtype, *shape) for dtype, shape in product(dtypes, shapes)]


def mapped(value: Any, on_array: Callable[[Any], Any], on_constant: Any, on_python: Any) -> Any:
    if isinstance(value, Constant):
        return on_constant(value.value)
    if isinstance(value, Python):
        return on_python(value.value)
    if isinstance(value, (np.ndarray, np.generic)):
        return on_array(value)
    if isinstance(value, (list, tuple)):
        return type(value)(mapped(v, on_array, on_constant, on_python) for v in value)
    if isinstance(value, slice):
        bounds = (value.start, value.stop, value.step)
        return slice(*(mapped(v, on_array, on_constant, on_python) for v in bounds))
    return value


def values(argument: Any) -> Any:
    return mapped(argument, lambda a: a, lambda c: c, lambda p: p)


def types(argument: Any, mask: Callable[[int], bool] = lambda axis: False) -> Any:
    def masked(array: Any) -> ArrayType:
        shape = tuple(None if mask(i) else d for i, d in enumerate(array.shape))
        return ArrayType(array.dtype, shape)

    return mapped(argument, masked, lambda c: c, lambda p: ScalarType(type(p)))


MASKS = (lambda axis: True, lambda axis: axis == 0, lambda axis: axis == 1)


def compare(
    numpy: Callable[..., Any],
    rule: Callable[..., Any],
    args: tuple,
    kwargs: dict[str, Any],
    *,
    exact: bool = True,
    sized: bool = True,
) -> None:
    """Compare the rule with NumPy, for one call.

    An `exact` rule that knows all shapes leaves no dimension unknown, unless staged numbers may
    be sizes, as they may in a `sized` call.
    """
    expected, error = outcome(numpy, values(args), {n: values(v) for n, v in kwargs.items()})
    known, raised = outcome(rule, types(args), {n: types(v) for n, v in kwargs.items()})
    if isinstance(raised, StagingError):
        raise raised
    staged = sized and has_python((args, tuple(kwargs.values())))
    if staged and error is not None and raised is None:
        return
    if error is not None or raised is not None:
        assert (type(raised), str(raised)) == (type(error), str(error))
        return
    agree(known, expected, exact=exact and not staged)
    for mask in MASKS:
        try:
            partly = rule(*types(args, mask), **{n: types(v, mask) for n, v in kwargs.items()})
        except StagingError:
            # The type hangs on a dimension that is masked here.
            continue
        agree(partly, expected, exact=False)


def outcome(function: Callable[..., Any], args: tuple, kwargs: dict[str, Any]) -> tuple[Any, Any]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return function(*args, **kwargs), None
        except Exception as error:
            return None, error


def has_python(value: Any) -> bool:
    """Return whether a staged number may be a size, which a type does not know."""
    if isinstance(value, slice):
        value = (value.start, value.stop, value.step)
    if isinstance(value, (list, tuple)):
        return any(map(has_python, value))
    return isinstance(value, (Python, np.number))


def agree(claimed: Any, result: Any, *, exact: bool) -> None:
    """Check a type, or several, against what NumPy returned."""
    if isinstance(result, (list, tuple)) and not isinstance(claimed, ArrayType):
        assert len(claimed) == len(result)
        for part, value in zip(claimed, result, strict=True):
            agree(part, value, exact=exact)
    elif isinstance(claimed, ArrayType):
        seen = as_type(result)
        assert isinstance(seen, ArrayType), f"NumPy returned {result!r}, the rule says {claimed}"
        assert claimed.dtype == seen.dtype
        assert claimed.ndim == seen.ndim, f"{claimed} is not {seen}"
        for mine, its in zip(claimed.shape, seen.shape, strict=True):
            assert mine == its or (mine is None and not exact), f"{claimed} is not {seen}"
    elif isinstance(claimed, ScalarType):
        assert type(result) is claimed.python
    else:
        assert type(claimed) is type(result)
        assert claimed == result


def calls(
    arrays: list[np.ndarray], *argument_lists: tuple[tuple, dict[str, Any]]
) -> Iterator[tuple[tuple, dict[str, Any]]]:
    """Each array with each list of further arguments."""
    for array, (args, kwargs) in product(arrays, argument_lists):
        yield (array, *args), kwargs
