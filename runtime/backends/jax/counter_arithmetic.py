"""Find the numbers that a loop's body computes from the loop's counter, in its jaxpr."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

import jax
import jax.numpy as jnp

from ...core.rolling_attempts import refuse_rolling
from ..functional.counter_arithmetic import NumberKind, bound_of_plain, check_cast, result_bound

_OPERATORS = {
    "div": "floordiv", "rem": "mod", "integer_pow": "pow", "shift_left": "lshift", "select_n": "select",
    "shift_right_arithmetic": "rshift", "shift_right_logical": "rshift",
    **dict.fromkeys(("broadcast_in_dim", "copy", "reshape", "sign", "squeeze", "stop_gradient"), "same"),
}  # fmt: skip
"""Python's names of primitives. Other primitives have them already, or compute floats."""
_ROUNDING = ("ceil", "floor", "round")


def check_program(jaxpr: Any, bounds: Sequence[float | None]) -> list[float | None]:
    """Return the bounds of a jaxpr's results, given those of its first arguments.

    A bound is None unless the number is computed from the counter and plain numbers alone.
    """
    known: dict[Any, float | None] = dict(zip(jaxpr.invars, bounds, strict=False))

    def bound(value: Any) -> float | None:
        if hasattr(value, "val"):  # a literal, which is a scalar
            return bound_of_plain(value.val.item() if hasattr(value.val, "item") else value.val)
        return known.get(value)

    for equation in jaxpr.eqns:
        own = list(map(bound, equation.invars))
        results = _result_bounds(equation, own)
        known.update(zip(equation.outvars, results, strict=True))
    return list(map(bound, jaxpr.outvars))


def _result_bounds(equation: Any, own: list[float | None]) -> Sequence[float | None]:
    unknown: list[float | None] = [None] * len(equation.outvars)
    inner = list(_inner_programs(equation))
    if inner:
        name = equation.primitive.name
        found = [check_program(jaxpr, _arguments(equation, own)) for jaxpr in inner]
        if name in ("scan", "while") or (name == "cond" and own[0] is None):
            return unknown
        return [None if None in of_all else max(of_all) for of_all in zip(*found, strict=True)]
    if equation.primitive.name == "debug_callback" and math.inf in own:
        refuse_rolling()  # it would print a rounded float
    if not own or None in own or not unknown:
        return unknown
    name, kind = equation.primitive.name, _kind(equation.outvars[0].aval.dtype)
    if name == "convert_element_type":
        check_cast(own[0], _kind(equation.invars[0].aval.dtype), kind)
        return [math.inf if kind.is_float else own[0]]
    if name in _ROUNDING:
        refuse_rolling()
    operands = own[1:] if name == "select_n" else own
    if name == "integer_pow":
        operands = [*own, abs(equation.params["y"])]
    return [result_bound(_OPERATORS.get(name, name), operands, kind)] * len(unknown)


def _arguments(equation: Any, own: list[float | None]) -> list[float | None]:
    """Return the bounds of the arguments of an equation's programs that stay the same in each iteration."""
    name, params = equation.primitive.name, equation.params
    if name == "cond":
        return own[1:]
    if name == "scan":
        return own[: params["num_consts"]]
    if name == "while":
        return own[params["cond_nconsts"] :][: params["body_nconsts"]]
    return own


def _inner_programs(equation: Any) -> Iterator[Any]:
    params = equation.params
    if equation.primitive.name == "while":
        yield params["body_jaxpr"].jaxpr
        return
    for name in ("branches", "jaxpr", "call_jaxpr", "fun_jaxpr"):
        for program in params.get(name, ()) if name == "branches" else [params.get(name)]:
            if program is not None:
                yield getattr(program, "jaxpr", program)


def _kind(dtype: Any) -> NumberKind:
    is_float, is_bool = (jax.dtypes.issubdtype(dtype, kind) for kind in (jnp.inexact, jnp.bool_))
    return NumberKind(is_float, is_bool, getattr(dtype, "itemsize", 1))
