"""Errors for operations that a graph cannot express."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn

import numpy as np

from ...debugging.tracebacks import user_opcode
from ...errors import AliasError, AssignmentError, StagingError, UnsupportedFunctionError
from ..ir.graph import Node
from ..ir.types import SAMPLES, ArrayType
from ..rules.reasons import reason_for
from ..rules.ufuncs import UFUNCS


def no_rule(function: Callable[..., Any], name: str) -> UnsupportedFunctionError:
    return UnsupportedFunctionError(
        f"{name} was called on a staged array",
        why=reason_for(function) or "the graph has no rule for it",
        remedy="use a supported NumPy function, or call it through ag.py_function",
    )


def plain_target(name: str, other: str) -> AliasError:
    """Return the error for a function that writes staged values into an array to which `other` refers."""
    return AliasError(
        f"{name} writes staged values into a plain array{_also(other)}",
        why=_WHY_PLAIN,
        remedy="make it from a staged array, as in y = np.zeros_like(x), or assign to its items: y[i] = v",
    )


def plain_out(name: str, other: str) -> AliasError:
    """Return the error for writing staged values into a plain array, with `+=` or an `out=` argument."""
    is_operator = user_opcode() == "BINARY_OP"
    return AliasError(
        f"{'an operator such as +=' if is_operator else f'the out= argument of {name}'} writes staged values "
        f"into a plain array{_also(other)}",
        why=_WHY_PLAIN,
        remedy="create a new array: t = t + x instead of t += x"
        if is_operator
        else f"use the result of the function: y = {name.replace('numpy', 'np')}(...)",
    )


_WHY_PLAIN = "a graph cannot write to a plain array when it runs"


def _also(other: str) -> str:
    return f", and {other} refers to it too" if other else ""


def foreign_operand(value: object) -> StagingError:
    kind = "None" if value is None else f"a value of type {type(value).__name__}"
    if hasattr(type(value), "ag__is_none"):
        kind = f"a {type(value.ag__parts).__name__} that may be None"  # type: ignore[attr-defined]
    return StagingError(
        f"{kind} cannot be combined with a staged value, or stored among staged values",
        why="a graph can contain only numbers, bools, strings, arrays and lists of these",
        remedy="use a number or an array instead, such as np.nan for None",
    ).about(value)


def shape_mismatch(what: str, shape: object, assigned: object) -> AssignmentError:
    return AssignmentError(
        f"{what}: expected shape {shape}, got {assigned}",
        why="the shape of a Variable never changes",
        remedy="assign a value of the expected shape, or create another Variable",
    )


def list_without_array() -> StagingError:
    return StagingError(
        "a NumPy function cannot take a staged list whose items are no numbers or arrays of one type",
        why="NumPy would convert the list to an array, whose dtype is unknown",
        remedy="append a number or an array to it first, or use a list of numbers: [p.x for p in items]",
    )


def structured_array(name: str) -> StagingError:
    return UnsupportedFunctionError(
        f"{name}() of staged values would return an array with named fields",
        why="an array of a graph has one dtype of numbers",
        remedy="use one array for each field, or a dict or dataclass of arrays",
    )


def bool_array_power() -> StagingError:
    return StagingError(
        "an array of bools cannot be raised to a power that is a staged int",
        why="the result is int8 for a power of 2 and int64 for others, but the power is known only when the "
        "graph runs",
        remedy="convert the array to integers: x.astype(int) ** k",
    )


def no_result(name: str, samples: list[object]) -> UnsupportedFunctionError:
    kinds = ", ".join(type(sample).__name__ for sample in samples)
    return UnsupportedFunctionError(
        f"{name}() of {kinds} cannot be staged",
        why="its result is not a number, bool, string or array",
        remedy="use a NumPy function instead",
    )


def shared_argument(graph: str, first: str, second: str) -> AliasError:
    return AliasError(
        f"{graph} writes to its argument {first!r}, which shares memory with {second!r}",
        why="the write would have to change the other argument too",
        remedy=f"pass a copy of one argument: {first}.copy()",
    )


def raise_cast_error(node: Node, kind: ArrayType) -> NoReturn:
    """Raise NumPy's own error for an in-place operation by running it on arrays of ones."""
    function = UFUNCS.get(node.op) or node.attrs.get("function")
    if isinstance(function, np.ufunc):
        function(*[_ones(i.type) for i in node.inputs], out=np.ones((1,) * kind.ndim, kind.dtype))
    message = "Cannot cast array data from {!r} to {!r} according to the rule 'same_kind'"
    raise TypeError(message.format(getattr(node.type, "dtype", None), kind.dtype))


def _ones(kind: Any) -> Any:
    return np.ones((1,) * kind.ndim, kind.dtype) if isinstance(kind, ArrayType) else SAMPLES[kind.python]
