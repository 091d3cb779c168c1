"""Python's builtins and functions of `math`."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
from jax import lax
from jax.scipy import special

from ....graph.ir import Node
from ....graph.types import ArrayType, ScalarType
from ...calls import NO_SCALAR, filled, takes_one_item
from .. import lists, refused
from ..lists import iterated
from ..run import Run
from ..values import (
    INT,
    Grown,
    Iterated,
    Said,
    is_known,
    of_enumerate,
    of_range,
    of_reversed,
    of_zip,
)
from .checks import TOO_LARGE, check_finite, check_whole, is_large


def _cast(run: Run, node: Node, values: list[Any]) -> Any:
    value = values[0]
    if isinstance(value, jax.Array) and value.shape:
        if not takes_one_item():
            run.raises(TypeError(NO_SCALAR))
        value = jnp.reshape(value, ())
    if node.op == "int" and isinstance(value, jax.Array):
        check_whole(run, value)
    return run.array(value, node.type)


def _bool(run: Run, node: Node, values: list[Any]) -> Any:
    return run.truth(values[0])


def _str(run: Run, node: Node, values: list[Any]) -> Any:
    return Said([(((0, "s", ""),), (node.inputs[0].type,))], [values])


def _len(run: Run, node: Node, values: list[Any]) -> Any:
    [value] = values
    if isinstance(value, (list, Grown)):
        return lists.length_of(value)
    if isinstance(value, Said):
        if value.plain is None:
            raise refused.unsupported(node, "it is about text that holds values")
        return jnp.asarray(list(map(len, value.plain)))[value.which]
    return value.length if isinstance(value, Iterated) else len(value)


def _reduced(
    run: Run, node: Node, source: Any, start: Any, step: Callable[[Any, Any], Any], kind: Any = None
) -> Any:
    """The items of something with a function between each two; without `start`, from the first on."""
    kind = kind or node.type
    if not isinstance(kind, (ArrayType, ScalarType)):
        raise refused.unsupported(node, "its items are tuples")
    items = iterated(run, source)
    first = 0
    if start is None:
        function = node.attrs["function"]
        try:
            function(())
        except ValueError as error:
            empty = error
        if is_known(items.length) and not items.length:
            run.raises(empty)
            return run.nothing(node.type)
        run.fail(items.length == 0, lambda: empty)
        start, first = jnp.asarray(items.item(0)), 1
    start = run.array(start, kind)

    def round_(i: Any, total: Any) -> Any:
        return run.array(step(total, items.item(i)), kind)

    return lax.fori_loop(first, items.length, round_, start)


def _sum(run: Run, node: Node, values: list[Any]) -> Any:
    start = values[1] if len(values) > 1 else 0
    if not isinstance(node.type, ScalarType) and node.type.shape and not jnp.shape(start):
        items = iterated(run, values[0])
        if is_known(items.length) and items.length:
            rows = run.number(items.rows(), node.type.dtype)
            return jnp.sum(rows, axis=0) + run.number(start, node.type.dtype)
    if run.checked and node.type == INT:
        estimate = _reduced(run, node, values[0], start, jnp.add, ScalarType(float))
        run.check(is_large(estimate), OverflowError, TOO_LARGE)
    return _reduced(run, node, values[0], start, jnp.add)


def _extreme(is_better: Callable[[Any, Any], Any]) -> Callable[..., Any]:
    def rule(run: Run, node: Node, values: list[Any]) -> Any:
        def better(best: Any, value: Any) -> Any:
            return jnp.where(is_better(value, best), value, best)

        if len(values) == 1:
            return _reduced(run, node, values[0], None, better)
        return functools.reduce(better, [run.array(v, node.type) for v in values])

    return rule


def _truths(run: Run, source: Any) -> Sequence[Any]:
    """The truth of each item: an array, with the places that there are."""
    if isinstance(source, list) and is_known(source):
        return jnp.asarray([bool(v) for v in source], bool), True
    if isinstance(source, (list, Grown)):
        grown = lists.in_rows(run, source)
        if grown is None:
            return jnp.zeros(0, bool), True
        row = lists.only_row(run, grown)
        return row != 0, jnp.arange(row.shape[0]) < grown.length
    rows = iterated(run, source).rows()
    return rows != 0, True


def _any(run: Run, node: Node, values: list[Any]) -> Any:
    truths, there = _truths(run, values[0])
    return jnp.any(truths & there)


def _all(run: Run, node: Node, values: list[Any]) -> Any:
    truths, there = _truths(run, values[0])
    return jnp.all(truths | jnp.logical_not(there))


def _round(run: Run, node: Node, values: list[Any]) -> Any:
    value, *digits = values
    if digits and digits[0] is not None:
        return jnp.round(value, digits[0])
    if node.type == INT:
        check_whole(run, value)
    return run.array(jnp.round(value), node.type)


def _sorted(run: Run, node: Node, values: list[Any]) -> Any:
    is_reversed = node.attrs.get("kwargs", {}).get("reverse", False)
    made = _iterate(run, node, values)
    grown = lists.in_rows(run, made, node.type)
    if grown is None:
        return []
    row = lists.only_row(run, grown)
    unused = jnp.arange(row.shape[0]) >= grown.length
    order = jnp.lexsort((row, unused))
    if is_reversed:
        order = jnp.lexsort((-jnp.lexsort((row,)).argsort(), unused))
    rows = jax.tree.map(lambda r: r[order], grown.rows)
    return Grown(rows, grown.base, grown.extra, grown.most)


def _iterate(run: Run, node: Node, values: list[Any]) -> Any:
    [source] = values
    if isinstance(source, (list, Grown)):
        return source
    items = iterated(run, source)
    if is_known(items.length):
        return Grown(items.rows(), None, items.length, items.length) if items.length else []
    room = run.most_rounds() if items.most is None else items.most
    places = jnp.arange(room)
    rows = jax.vmap(items.item)(jnp.minimum(places, jnp.maximum(items.length - 1, 0)))
    run.fail(items.length > room, lambda: refused.no_room(node, room))
    return Grown(rows, run.array(items.length, INT), 0, room)


def _range(run: Run, node: Node, values: list[Any]) -> Any:
    start, stop, step = (v if is_known(v) else run.array(v, INT) for v in values)
    run.fail(step == 0, lambda: ValueError("range() arg 3 must not be zero"))
    return of_range(start, stop, 1 if is_known(step) and step == 0 else step)


def _zip(run: Run, node: Node, values: list[Any]) -> Any:
    parts = [iterated(run, v) for v in values]
    lengths = [p.length for p in parts]
    if node.attrs["strict"] and not (is_known(lengths) and len(set(lengths)) <= 1):
        raise refused.value_needed(node, "is strict, and takes what has no single known length")
    return of_zip(parts)


def _math(run: Run, node: Node, values: list[Any]) -> Any:
    function = node.attrs["function"]
    name = function.__name__
    named = _FUNCTIONS.get(name, getattr(jnp, _NAMES.get(name, name), None))
    args, kwargs = filled(node.attrs["args"], values), filled(node.attrs["kwargs"], values)
    if named is None or kwargs:
        raise refused.unsupported(node, f"jax.numpy has no function like math.{name}")
    if name not in _WHOLE:
        args = [_float(run, a) for a in args]
    if node.type == INT and name not in _WHOLE:
        check_whole(run, args[0])
    made = named(*args)
    if not isinstance(made, (tuple, list)):
        check_finite(run, function, args, made)
    return made


_NAMES = {
    "pow": "power", "asin": "arcsin", "acos": "arccos", "atan": "arctan", "atan2": "arctan2",
    "asinh": "arcsinh", "acosh": "arccosh", "atanh": "arctanh", "fabs": "abs",
}  # fmt: skip
_FUNCTIONS: dict[str, Any] = {
    "log": lambda x, *base: functools.reduce(jnp.divide, map(jnp.log, (x, *base))),
    "erf": special.erf, "erfc": special.erfc, "gamma": special.gamma, "lgamma": special.gammaln,
    "hypot": lambda *numbers: functools.reduce(jnp.hypot, numbers, jnp.zeros((), float)),
    "prod": None, "remainder": None,
}  # fmt: skip
_WHOLE = frozenset(("gcd", "lcm", "ldexp"))


def _float(run: Run, value: Any) -> Any:
    return run.array(value, ScalarType(float))


RULES: dict[str, Callable[..., Any]] = {
    **dict.fromkeys(("int", "float", "complex"), _cast),
    "bool": _bool,
    "str": _str,
    "len": _len,
    "min": _extreme(jnp.less),
    "max": _extreme(jnp.greater),
    "sum": _sum,
    "any": _any,
    "all": _all,
    "round": _round,
    "sorted": _sorted,
    "iterate": _iterate,
    "_real": lambda run, node, values: jnp.real(values[0]),
    "range": _range,
    "enumerate": lambda run, node, values: of_enumerate(iterated(run, values[0]), values[1]),
    "zip": _zip,
    "reversed": lambda run, node, values: of_reversed(iterated(run, values[0])),
    **{
        f"math.{name}": _math
        for name in dir(math)
        if callable(getattr(math, name)) and not name.startswith("_")
    },
}
