"""Python's builtins, and functions of `math` and NumPy, on JAX's staged arrays."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from ...errors import UnsupportedFunctionError
from ..iterables import StagedSequence
from ..python import extreme, total
from ..texts import Text, joined
from .errors import shapes_known


def call(backend: Any, function: Callable[..., Any], args: tuple, kwargs: dict[str, Any]) -> Any:
    if function in _SHALLOW and not any(map(backend.is_staged, args)):
        return function(*args, **kwargs)
    if function in (range, enumerate, zip, reversed):
        return backend.iterable(function, args, kwargs)
    if function is print:
        return _print(*args, **kwargs)
    if function is map:
        return [args[0](*element) for element in backend.iterable(zip, args[1:], {})]
    own = _FUNCTIONS.get(function)
    if own is not None:
        return own(*args, **kwargs)
    named = getattr(jnp, _NAMES.get(function.__name__, function.__name__), None)
    if named is None:
        raise UnsupportedFunctionError(
            f"{function.__name__}() was called on a staged JAX array",
            why="JAX has no function for it",
            remedy="use functions of jax.numpy, or jax.pure_callback",
        )
    with shapes_known(f"{function.__name__}()"):
        return named(*args, **kwargs)


_SHALLOW = frozenset((len, enumerate, zip, reversed, list, tuple, isinstance, type, map, filter))
"""What looks at its own arguments only, and not at what a list among them holds."""

_NAMES = {
    "pow": "power", "asin": "arcsin", "acos": "arccos", "atan": "arctan", "atan2": "arctan2",
    "asinh": "arcsinh", "acosh": "arccosh", "atanh": "arctanh", "factorial": "",
}  # fmt: skip


def _print(*values: Any, sep: str = " ", end: str = "\n", file: Any = None, flush: bool = False) -> None:
    staged = [v for v in values if isinstance(v, (jax.Array, Text))]
    flat = [x for v in staged for x in (v.values if isinstance(v, Text) else [v])]

    def show(*arrays: Any) -> None:
        rest = [np.asarray(a)[()] for a in arrays]
        shown: list[Any] = []
        for value in values:
            if isinstance(value, Text):
                own, rest = rest[: len(value.values)], rest[len(value.values) :]
                shown.append(joined(value, own))
            elif isinstance(value, jax.Array):
                shown.append(rest.pop(0))
            else:
                shown.append(value)
        print(*shown, sep=sep, end=end, file=file, flush=flush)

    jax.debug.callback(show, *flat, ordered=False)


def _len(value: Any) -> Any:
    if isinstance(value, StagedSequence):
        return value.length
    if not value.ndim:
        raise TypeError("len() of unsized object")
    return value.shape[0]


def _whole(value: Any) -> Any:
    return (
        value if getattr(value, "dtype", None) is not None and value.dtype.kind in "iu" else _cast(value, int)
    )


def _cast(value: Any, kind: type) -> Any:
    if not isinstance(value, jax.Array):
        return kind(value)
    if value.size != 1:
        raise TypeError("only 0-dimensional arrays can be converted to Python scalars")
    return jnp.asarray(value.reshape(()), kind)


def _round(value: Any, digits: int | None = None) -> Any:
    return _cast(jnp.round(value), int) if digits is None else jnp.round(value, digits)


def _ambiguous() -> Exception:
    return ValueError("the truth value of an array with more than one element is ambiguous")


def _extreme(pairwise: Callable[..., Any], whole: Callable[..., Any], instead: str) -> Callable[..., Any]:
    return extreme(jax.Array, pairwise, whole, _ambiguous, f"jnp.{instead}")


def _sorted(values: Any, *, key: Any = None, reverse: bool = False) -> Any:
    if key is not None:
        raise UnsupportedFunctionError(
            "sorted() with a key cannot be staged",
            why="JAX has no operation that calls a function for each item and sorts by it",
            remedy="index by jnp.argsort of the keys: x[jnp.argsort(-x)]",
        )
    made = jnp.sort(_stacked(values))
    return list(made[::-1] if reverse else made)


def _stacked(values: Any) -> jax.Array:
    return values if isinstance(values, jax.Array) else jnp.stack([jnp.asarray(v) for v in values])


_FUNCTIONS: dict[Any, Callable[..., Any]] = {
    len: _len,
    int: lambda value: _cast(value, int),
    float: lambda value: _cast(value, float),
    complex: lambda value: _cast(value, complex),
    bool: lambda value: _cast(value, bool),
    str: lambda value: Text([(0, "s", "")], [value]),
    min: _extreme(jnp.minimum, jnp.min, "argmin"),
    max: _extreme(jnp.maximum, jnp.max, "argmax"),
    sum: total(jax.Array, lambda array: jnp.sum(array, axis=0)),
    any: lambda values: jnp.any(_stacked(values)),
    all: lambda values: jnp.all(_stacked(values)),
    sorted: _sorted,
    list: list,
    tuple: tuple,
    isinstance: isinstance,
    type: type,
    math.floor: lambda x: _whole(jnp.floor(x)),
    math.ceil: lambda x: _whole(jnp.ceil(x)),
    math.trunc: lambda x: _whole(jnp.trunc(x)),
    math.fabs: jnp.abs,
    math.pow: jnp.power,
}
