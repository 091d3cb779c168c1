"""Conversions to Python numbers and text, `math`, and the types of staged values."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable
from typing import Any

import numpy as np

from .... import staging
from ....backends import builtins as table
from ....backends.functional.staged_text import StagedField
from ....errors import UnsupportedFunctionError
from ...ir.types import ArrayType, DequeType, ListType, ScalarType
from ...tracing import effects, recording
from ...tracing.containers.staged_keyed import StagedKeyed
from ...tracing.recording import record
from ...tracing.tensor import Staged, Tensor

_FLOAT, _INT, _BOOL = ScalarType(float), ScalarType(int), ScalarType(bool)
_PARAMETERS = {int: ("", "base"), complex: ("real", "imag")}


def _conversion(kind: type) -> Callable[..., Any]:
    def call(*args: Any, **kwargs: Any) -> Any:
        names = _PARAMETERS.get(kind, ())
        if kwargs and kwargs.keys() <= {*names}:
            args = (*args, *[kwargs.pop(name, 0) for name in names[len(args) :]])
        if not kwargs and len(args) == len(names) > 0:
            return record(f"{kind.__name__}_of", args, ScalarType(kind))
        if kwargs or len(args) != 1:
            raise UnsupportedFunctionError(
                f"{kind.__name__}() with these arguments cannot be staged",
                why="the graph has no operation for it",
                remedy="pass the staged value alone",
            )
        [value] = args
        if isinstance(value, (list, tuple, dict, deque)):
            return _text("s")(value) if kind is str else kind(value)
        if isinstance(value, Tensor) and value.ndim and kind is not str and kind is not bool:
            shape = value.type.shape
            if None not in shape and math.prod(shape) != 1:
                raise TypeError("only 0-dimensional arrays can be converted to Python scalars")
        if kind is str:
            effects.check_print_options()
        if kind is bool and hasattr(type(value), "as_bool"):
            return value.as_bool()
        return record(kind.__name__, (value,), ScalarType(kind), function=kind)

    return call


def _text(conversion: str) -> Callable[[Any], Any]:
    def call(value: Any) -> Any:
        owner = value if isinstance(value, Staged) else staging.owner_of_text(value)
        return str(value) if owner is None else effects.staged_string(f"{StagedField(value, conversion)}")

    return call


def _isinstance(value: Any, kinds: Any) -> bool:
    python_class = _python_class(value)
    return isinstance(value, kinds) if python_class is None else issubclass(python_class, kinds)


def _type(value: Any, *args: Any) -> type:
    python_class = None if args else _python_class(value)
    return type(value, *args) if python_class is None else python_class


def _python_class(value: Any) -> type | None:
    """Return the run-time class of a staged value, or None for other values."""
    kind = getattr(value, "type", None)
    if isinstance(kind, ScalarType):
        return kind.python
    if isinstance(kind, ArrayType):
        return np.ndarray if kind.shape else kind.dtype.type
    if isinstance(value, StagedKeyed):
        return value.python_class
    if isinstance(kind, DequeType):
        return deque
    return list if isinstance(kind, ListType) else None


def _as_array(value: Any) -> Any:
    """Return the array of a list or tuple of numbers."""
    is_staged = recording.contains_staged(value)
    return recording.call(np.array, (list(value),), {}) if is_staged else np.array(value)


def _math(function: Callable[..., Any]) -> Callable[..., Any]:
    def call(*args: Any, **kwargs: Any) -> Any:
        if function in (math.dist, math.fsum):  # which take numbers of NumPy as they take others
            args = tuple(_as_array(a) if isinstance(a, (list, tuple)) else a for a in args)
        if any(isinstance(a, (list, tuple)) for a in args):
            raise UnsupportedFunctionError(
                f"math.{function.__name__} of a list or tuple of staged values cannot be staged",
                why="the graph has no operation for it",
                remedy="use a NumPy function, such as np.sum, np.prod or np.linalg.norm of an array",
            )
        arguments = recording.Arguments()
        template, named = arguments.templates(args, kwargs)
        kind, op = _MATH_RESULTS.get(function, _FLOAT), f"math.{function.__name__}"
        return recording.record_call(op, function, arguments.inputs, template, named, kind)

    return call


_MATH_RESULTS: dict[Callable[..., Any], Any] = {
    **dict.fromkeys((math.isnan, math.isinf, math.isfinite, math.isclose), _BOOL),
    **dict.fromkeys((math.floor, math.ceil, math.trunc, math.gcd, math.lcm, math.factorial, math.comb), _INT),
    **dict.fromkeys((math.perm, math.isqrt), _INT),
    math.modf: (_FLOAT, _FLOAT),
    math.frexp: (_FLOAT, _INT),
}


IMPLEMENTATIONS: dict[Callable[..., Any], Callable[..., Any]] = {
    isinstance: _isinstance,
    repr: _text("r"),
    type: _type,
    **{kind: _conversion(kind) for kind in (int, float, bool, complex, str)},
    **{f: _math(f) for f in table.MATH},
}
