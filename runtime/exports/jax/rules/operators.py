"""Operators and ufuncs, in the dtypes that NumPy computes in."""

from __future__ import annotations

import functools
import operator as python
from collections.abc import Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from ....graph.ir import Node
from ....graph.record import UFUNCS
from ....graph.types import ArrayType, ListType, ScalarType
from .. import lists, refused
from ..run import Run
from ..values import INT, Grown, Iterated, Said, is_known, said
from .checks import check_64_bits, check_finite, check_fits, check_sign, check_whole

_BITS = frozenset(("and_", "or_", "xor"))
_WHOLE = (np.floor_divide, np.remainder, np.fmod)
_COMPARISONS = frozenset(("lt", "le", "gt", "ge", "eq", "ne"))


def applied(run: Run, ufunc: np.ufunc, values: Sequence[Any], kinds: Sequence[Any]) -> Any:
    """A ufunc of some values, each cast to the dtype in which NumPy's loop takes it."""
    function = getattr(jnp, ufunc.__name__, None)
    if function is None:
        raise refused.unsupported(run.node, f"jax.numpy has no {ufunc.__name__}")
    given = [_weak(k) for k in kinds]
    if all(isinstance(k, ScalarType) for k in kinds):
        given = [np.dtype(g) for g in given]
    dtypes = ufunc.resolve_dtypes((*given, *[None] * ufunc.nout))
    for value, kind, dtype in zip(values, kinds, dtypes, strict=False):
        if kind == INT:
            check_fits(run, value, dtype)
    operands = [run.number(v, d) for v, d in zip(values, dtypes, strict=False)]
    if ufunc is np.power and dtypes[-1].kind in "iu":
        text = "Integers to negative integer powers are not allowed."
        run.check(jnp.any(operands[1] < 0), ValueError, text)
    if dtypes[0].kind in "iu":
        if ufunc is np.power:
            return _integer_power(*operands)
        if ufunc is np.divmod:
            return tuple(applied(run, part, values, kinds) for part in (np.floor_divide, np.remainder))
        if ufunc in _WHOLE:
            zero = operands[1] == 0  # NumPy gives 0 there
            return jnp.where(zero, 0, function(operands[0], jnp.where(zero, 1, operands[1])))
        if ufunc is np.reciprocal:
            [x] = operands
            with np.errstate(all="ignore"):
                of_zero = np.reciprocal(np.zeros((), dtypes[0]))
            return jnp.where(x == 0, of_zero, x // jnp.where(x == 0, 1, x * x))
    if ufunc is np.modf:
        fraction, whole = function(*operands)
        return jnp.where(jnp.isinf(whole), jnp.copysign(0, whole), fraction), whole
    return function(*operands)


def _integer_power(x: jax.Array, y: jax.Array) -> jax.Array:
    """A power that wraps; that of jax.numpy knows six bits of an exponent."""
    made = jnp.power(x, y & 63)
    for _ in range(6, 8 * y.dtype.itemsize, 6):
        x, y = x**64, y >> 6
        made = made * jnp.power(x, y & 63)
    return made


def _weak(kind: Any) -> Any:
    """A type as NumPy's promotion takes it: Python's numbers are weak in it."""
    if isinstance(kind, ArrayType):
        return kind.dtype
    return np.dtype(bool) if kind.python is bool else kind.python


def operator(run: Run, node: Node, values: list[Any]) -> Any:
    kinds = [i.type for i in node.inputs]
    if any(isinstance(k, ListType) for k in kinds):
        return _of_lists(run, node, values)
    if all(k == ScalarType(str) for k in kinds) and node.op in ("eq", "ne", "add"):
        return _of_texts(run, node, said(values[0]), said(values[1]))
    if any(not isinstance(k, (ArrayType, ScalarType)) or k == ScalarType(str) for k in kinds):
        raise refused.unsupported(node, f"its operands are {', '.join(map(str, kinds))}")
    ufunc = UFUNCS[node.op]
    if all(k == ScalarType(bool) for k in kinds) and node.op not in _BITS | _COMPARISONS:
        kinds = [INT] * len(kinds)  # as Python takes them
    if node.op == "invert" and kinds == [ScalarType(bool)]:
        kinds = [INT]
    if node.op in _DIVISIONS and all(isinstance(k, ScalarType) for k in kinds):
        run.check(values[1] == 0, ZeroDivisionError, _division_by_zero(node.op, *[k.python for k in kinds]))
    if node.op in _SHIFTS and node.type == INT:
        run.check(values[1] < 0, ValueError, "negative shift count")
    if node.op == "pow" and node.type == INT:
        run.fail(values[1] < 0, lambda: refused.unsupported(node, "the power is no whole number"))
    if node.op == "pow" and type(values[1]) is int and _is_inexact(kinds[0]):
        made = run.array(values[0], node.type) ** values[1]
    else:
        made = applied(run, ufunc, values, kinds)
    if node.type == INT and node.op in ("neg", "abs"):
        check_sign(run, values[0])
    elif node.type == INT and len(values) == 2:
        check_64_bits(run, node.op, values[0], values[1], made)
    elif node.op == "pow" and node.type == ScalarType(float):
        check_finite(run, python.pow, values, made)
    return made


_SHIFTS = ("lshift", "rshift")
_DIVISIONS = ("truediv", "floordiv", "mod")


@functools.cache
def _division_by_zero(name: str, *kinds: type) -> str:
    """What Python says."""
    try:
        getattr(python, name)(kinds[0](1), kinds[1](0))
    except ZeroDivisionError as error:
        return str(error)
    return ""


def _is_inexact(kind: Any) -> bool:
    return np.dtype(_weak(kind)).kind in "fc"


def _of_lists(run: Run, node: Node, values: list[Any]) -> Any:
    first, second = values
    match node.op:
        case "add":
            return lists.concatenated(run, node, first, second)
        case "mul":
            return lists.repeated(run, node, first, second)
        case "eq":
            return lists.equal(run, node, first, second)
        case "ne":
            return jnp.logical_not(lists.equal(run, node, first, second))
    raise refused.unsupported(node, "its operands are lists")


def _of_texts(run: Run, node: Node, first: Said, second: Said) -> Any:
    """Texts that hold no values, compared; one beside another."""
    if first.plain is None or second.plain is None:
        raise refused.unsupported(node, "it is about text that holds values")
    pairs = [(a, b) for a in first.plain for b in second.plain]
    which = first.which * len(second.texts) + second.which
    if node.op == "add":
        return Said([((a + b,), ()) for a, b in pairs], [()] * len(pairs), which)
    return jnp.asarray([(a == b) is (node.op == "eq") for a, b in pairs])[which]


def convert(run: Run, node: Node, values: list[Any]) -> Any:
    return run.number(values[0], node.attrs["dtype"])


def not_(run: Run, node: Node, values: list[Any]) -> Any:
    value = run.truth(values[0])
    return not value if is_known(value) else jnp.logical_not(value)


def either(run: Run, node: Node, values: list[Any]) -> Any:
    return jnp.logical_or(*map(run.truth, values))


def contains(run: Run, node: Node, values: list[Any]) -> Any:
    container, value = values
    if isinstance(container, Iterated):
        return container.has(value)
    if isinstance(container, (list, tuple, Grown)):
        grown = lists.in_rows(run, container, node.inputs[0].type)
        if grown is None:
            return False
        row = lists.only_row(run, grown)
        return jnp.any((row == value) & (jnp.arange(row.shape[0]) < grown.length))
    return jnp.any(jnp.asarray(container) == value)


def item(run: Run, node: Node, values: list[Any]) -> Any:
    value = jnp.reshape(values[0], ())
    if node.type == INT:
        check_whole(run, value)
    return value


RULES = {
    **dict.fromkeys(UFUNCS, operator),
    "convert": convert,
    "not_": not_,
    "either": either,
    "contains": contains,
    "item": item,
    "dimension": lambda run, node, values: int(values[0].shape[node.attrs["axis"]]),
    "same": lambda run, node, values: values[0],
    "constant": lambda run, node, values: node.attrs["value"],
    "output": lambda run, node, values: values[0][node.attrs["index"]],
}
