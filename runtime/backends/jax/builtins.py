"""Python's builtins, and functions of `math`, on JAX's staged arrays."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from ...errors import UnsupportedFunctionError
from ..functional.builtins import extremum, staged_len, total
from ..functional.staged_text import formatted_text, operands_of
from .errors import static_shapes


def call_library(function: Callable[..., Any], args: tuple, kwargs: dict[str, Any]) -> Any:
    """Call the `jax.numpy` counterpart of a function of `math`, NumPy or Python."""
    counterpart = getattr(jnp, JAX_NAMES.get(function.__name__, function.__name__), None)
    if counterpart is None:
        raise UnsupportedFunctionError(
            f"{function.__name__}() was called on a staged JAX array",
            why="JAX has no counterpart of this function",
            remedy="use jax.numpy functions instead, or call it through jax.pure_callback",
        )
    with static_shapes(f"{function.__name__}()"):
        return counterpart(*args, **kwargs)


JAX_NAMES = {
    "pow": "power", "asin": "arcsin", "acos": "arccos", "atan": "arctan", "atan2": "arctan2",
    "asinh": "arcsinh", "acosh": "arccosh", "atanh": "arctanh", "factorial": "",
}  # fmt: skip


def staged_operands(value: Any) -> tuple[list[Any], Callable[[Sequence[Any]], Any]]:
    return operands_of(value, lambda leaf: isinstance(leaf, jax.Array), _known_value)


def _known_value(array: Any, operand: Any) -> Any:
    """Return the NumPy value of an array, or a Python integer if the operand stands for one."""
    value = np.asarray(array)[()]
    is_integer = isinstance(value, np.integer) and getattr(operand, "weak_type", False)
    return int(value) if is_integer else value


def _print(*values: Any, sep: str = " ", end: str = "\n", file: Any = None, flush: bool = False) -> None:
    operands, rebuild = staged_operands(values)

    def print_values(*arrays: Any) -> None:
        print(*rebuild(arrays), sep=sep, end=end, file=file, flush=flush)

    jax.debug.callback(print_values, *operands, ordered=False)


def _integer(value: Any) -> Any:
    is_integer = getattr(value, "dtype", None) is not None and value.dtype.kind in "iu"
    return value if is_integer else _cast(value, int)


def _cast(value: Any, kind: type) -> Any:
    if not isinstance(value, jax.Array):
        return kind(value)
    if value.size != 1:
        raise TypeError("only 0-dimensional arrays can be converted to Python scalars")
    return jnp.asarray(value.reshape(()), kind)


def _extremum(pairwise: Callable[..., Any], reduce: Callable[..., Any]) -> Callable[..., Any]:
    message = "the truth value of an array with more than one element is ambiguous"
    return extremum(jax.Array, pairwise, reduce, lambda: ValueError(message))


def _sorted(values: Any, *, key: Any = None, reverse: bool = False) -> Any:
    ordered = jnp.sort(_stacked(values))
    return list(ordered[::-1] if reverse else ordered)


def _stacked(values: Any) -> jax.Array:
    return values if isinstance(values, jax.Array) else jnp.stack([jnp.asarray(v) for v in values])


BUILTINS: dict[Any, Callable[..., Any]] = {
    print: _print,
    len: staged_len,
    int: lambda value: _cast(value, int),
    float: lambda value: _cast(value, float),
    complex: lambda value: _cast(value, complex),
    bool: lambda value: _cast(value, bool),
    str: lambda value: formatted_text(value, "s"),
    min: _extremum(jnp.minimum, jnp.min),
    max: _extremum(jnp.maximum, jnp.max),
    sum: total(jax.Array, lambda array: jnp.sum(array, axis=0)),
    any: lambda values: jnp.any(_stacked(values)),
    all: lambda values: jnp.all(_stacked(values)),
    sorted: _sorted,
    list: list,
    tuple: tuple,
    isinstance: isinstance,
    type: type,
    math.floor: lambda x: _integer(jnp.floor(x)),
    math.ceil: lambda x: _integer(jnp.ceil(x)),
    math.trunc: lambda x: _integer(jnp.trunc(x)),
    math.fabs: jnp.abs,
    math.pow: jnp.power,
}
