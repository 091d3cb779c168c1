"""Python's builtins, its lists and texts, and the graph's own ops. A rule gets the emitter and the node."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from ....graph.ir import Missing, Node
from ....graph.types import ArrayType, ListType, ScalarType
from ....undefined import missing
from ...calls import NO_SCALAR, takes_one_item
from .. import iterables, refused
from ..builder import BOOL, FLOAT, INT, Value
from ..call import Call
from ..iterables import as_list
from ..truth import length, nonzero, truth
from ..values import Empty, Items, Maybe, coerced, dtype_of, zero
from .elementwise import converted, without_nan
from .functions import around, refuse_infinite
from .reductions import exact
from .searching import ordered

if TYPE_CHECKING:
    from ..emitter import Emitter


# The graph's own


def constant(e: Emitter, node: Node) -> Any:
    value = node.attrs["value"]
    if value is Missing.VALUE:
        return value
    if isinstance(node.type, ScalarType) and node.type.python in (bool, int, float, str):
        return e.b.constant(value)
    if not isinstance(node.type, ArrayType):
        raise refused.unsayable(
            node, "it holds arrays and numbers", "give it those", f"a {type(value).__name__}"
        )
    return e.b.constant(np.asarray(value), dtype_of(e.b, node.type) if node.type.dtype.kind != "U" else None)


def output(e: Emitter, node: Node) -> Any:
    return e.values[node.inputs[0]][node.attrs["index"]]


def same(e: Emitter, node: Node) -> Any:
    return e.values[node.inputs[0]]


def check_bound(e: Emitter, node: Node) -> Any:
    value = e.values[node.inputs[0]]
    error = missing(node.attrs["symbol"])
    message = f"{type(error).__name__}: {error}"
    if isinstance(value, Maybe):
        e.b.check(e.b.negated(value.there), message)
        return value.held
    if value is Missing.VALUE:
        e.b.fail(message)
        return zero(e.b, node.type)
    return value


def dimension(e: Emitter, node: Node) -> Value:
    return e.b.dim(e.values[node.inputs[0]], node.attrs["axis"])


def convert(e: Emitter, node: Node) -> Any:
    made = e.value(node.inputs[0])
    if isinstance(made, Value) and isinstance(node.type, ArrayType):
        made = converted(Call(e.b, node), made, dtype_of(e.b, node.type))
    return coerced(e.b, e.values[node.inputs[0]] if isinstance(node.type, ListType) else made, node.type)


def with_shape(e: Emitter, node: Node) -> Value:
    b, x = e.b, e.values[node.inputs[0]]
    _, shape, what = node.attrs["args"]
    if node.inputs[0].type.shape != shape and shape:
        b.check(b.negated(b.all(b.equal(b.shape(x), b.ints(*shape)))), f"SpecError: {what} has another shape")
    return x


# Numbers


def item(e: Emitter, node: Node) -> Value:
    return coerced(e.b, e.b.scalar(e.values[node.inputs[0]]), node.type)


def _one(e: Emitter, node: Node) -> Value:
    """The number that `int` and `float` take."""
    x = e.values[node.inputs[0]]
    if x.ndim and not takes_one_item():
        e.b.fail(f"TypeError: {NO_SCALAR}")
    return e.b.scalar(x)


def to_int(e: Emitter, node: Node) -> Value:
    b, x = e.b, _one(e, node)
    if x.dtype.kind == "U":
        raise refused.with_options(node, "text")
    if x.dtype.kind == "f":
        refuse_infinite(Call(e.b, node), x)
    return coerced(b, x, node.type)


def to_float(e: Emitter, node: Node) -> Value:
    x = _one(e, node)
    if x.dtype.kind == "U":
        raise refused.with_options(node, "text")
    return e.b.cast(x, FLOAT)


def to_bool(e: Emitter, node: Node) -> Value:
    return truth(e.b, e.values[node.inputs[0]])


def negation(e: Emitter, node: Node) -> Value:
    return e.b.negated(truth(e.b, e.values[node.inputs[0]]))


def either(e: Emitter, node: Node) -> Value:
    first, second = e.inputs(node)
    return e.b.either(truth(e.b, first), truth(e.b, second))


def rounded(e: Emitter, node: Node) -> Value:
    b, x, *digits = e.b, *e.inputs(node)
    c = Call(e.b, node)
    if x.dtype.kind in "iub" and not digits:
        return coerced(b, x, node.type)
    if isinstance(node.type, ArrayType):
        return coerced(b, around(c, x, *digits), node.type)
    if digits and x.dtype.kind == "f":
        raise refused.with_options(node, "digits, for which Python rounds the decimal number")
    if digits:
        raise refused.with_options(node, "digits")
    refuse_infinite(c, x)
    return b.cast(b.op("Round", x), INT)


# Iterables


def _tensor(e: Emitter, node: Node, value: Any) -> Value:
    """The items of an iterable as one tensor."""
    made = as_list(e.b, value)
    if not isinstance(made, Items):
        raise refused.with_options(node, "an empty list" if isinstance(made, Empty) else "tuples or arrays")
    return made.tensor


def total(e: Emitter, node: Node) -> Value:
    b = e.b
    source, *start = e.inputs(node)
    made = as_list(b, source)
    first = start[0] if start else b.constant(0)
    if isinstance(made, Empty):
        return coerced(b, first, node.type)
    items = b.cast(_tensor(e, node, source), dtype_of(b, node.type))
    if isinstance(node.type, ScalarType) and items.dtype == INT:
        most = b.reduce("ReduceSum", b.op("Abs", b.cast(items, FLOAT)))
        b.check(
            b.less(b.like(2.0**62, most), most), "OverflowError: a sum of Python ints needs more than 64 bits"
        )
    summed = (
        exact(b, "ReduceSum", items, [0]) if items.dtype.kind in "iu" else b.reduce("ReduceSum", items, [0])
    )
    return b.plus(summed, b.cast(first, items.dtype))


def extreme(kind: str) -> Any:
    """`min` and `max`: the first that no other is better than."""

    def rule(e: Emitter, node: Node) -> Value:
        b = e.b
        given = e.inputs(node)
        if len(given) > 1:
            dtype = dtype_of(b, node.type)
            best, *others = (b.cast(v, dtype) for v in given)
            for other in others:
                pair = (other, best) if kind == "Min" else (best, other)
                best = b.where(b.less(*pair), other, best)
            return best
        items = _tensor(e, node, given[0])
        if items.ndim != 1:
            raise refused.with_options(node, "items that are arrays")
        refuse_empty(e, node, items, f"ValueError: {kind.lower()}() iterable argument is empty")
        used, nan = without_nan(b, items, kind) if items.dtype.kind == "f" else (items, None)
        made = b.reduce(f"Reduce{kind}", used)
        if nan is not None:  # one that comes first stays, others are no better
            made = b.where(b.gather(nan, b.constant(0, INT)), math.nan, made)
        return coerced(b, made, node.type)

    return rule


def refuse_empty(e: Emitter, node: Node, items: Value, message: str) -> None:
    known = getattr(node.inputs[0].type, "shape", (None,))[:1]
    if known == (0,) or (items.constant is not None and not items.constant.size):
        e.b.fail(message)
    elif known == (None,):
        e.b.check(e.b.equal(e.b.dim(items, 0), 0), message)


def tested(name: str) -> Any:
    """`any` and `all`."""

    def rule(e: Emitter, node: Node) -> Value:
        made = as_list(e.b, e.values[node.inputs[0]])
        if isinstance(made, Empty):
            return e.b.constant(name == "all", BOOL)
        made = _tensor(e, node, e.values[node.inputs[0]])
        if made.ndim != 1:
            raise refused.with_options(node, "items that are arrays")
        return getattr(e.b, name)(nonzero(e.b, made))

    return rule


def ordering(e: Emitter, node: Node) -> Any:
    made = as_list(e.b, e.values[node.inputs[0]])
    if isinstance(made, Empty):
        return made
    tensor = _tensor(e, node, made)
    if tensor.ndim != 1 or tensor.dtype.kind == "U":
        raise refused.with_options(node, "items that are no numbers")
    descending = bool((node.attrs.get("kwargs") or {}).get("reverse"))
    return coerced(e.b, Items(ordered(e.b, tensor, 0, descending=descending)[0]), node.type)


def iterate(e: Emitter, node: Node) -> Any:
    return coerced(e.b, as_list(e.b, e.values[node.inputs[0]]), node.type)


def length_of(e: Emitter, node: Node) -> Value:
    value = e.values[node.inputs[0]]
    if isinstance(value, Value) and value.dtype.kind == "U" and not value.ndim:
        raise refused.with_options(node, "text")
    return length(e.b, value)


def contains(e: Emitter, node: Node) -> Value:
    b = e.b
    held, wanted = e.inputs(node)
    if isinstance(node.inputs[0].type, ScalarType):
        raise refused.with_options(node, "text")
    made = as_list(b, held)
    if isinstance(made, Empty):
        return b.constant(False, BOOL)
    items, sought = b.common(
        _tensor(e, node, made), e.value(node.inputs[1]) if isinstance(wanted, Value) else wanted
    )
    return b.any(b.equal(items, sought))


# Text


def text(e: Emitter, node: Node) -> Value:
    b = e.b
    made = b.constant("")
    for piece in node.attrs["args"]:
        if isinstance(piece, str):
            part = b.constant(piece)
        else:
            slot, conversion, spec = piece
            value = e.values[node.inputs[slot.index]]
            if spec or conversion not in ("", "s") or not isinstance(value, Value):
                raise refused.with_options(node, "formats, or values that are no numbers")
            part = _as_text(e, node, value)
        made = b.op("StringConcat", made, part)
    return made


def to_text(e: Emitter, node: Node) -> Value:
    return _as_text(e, node, e.values[node.inputs[0]])


def _as_text(e: Emitter, node: Node, value: Any) -> Value:
    b = e.b
    if not isinstance(value, Value) or value.ndim or value.dtype.kind == "f":
        raise refused.unsayable(
            node,
            "its text of floats and arrays is not Python's",
            "give out the numbers, and make text of them",
            f"text of a {node.inputs[0].type}" if node.inputs else "text",
        )
    if value.dtype == BOOL:
        return b.where(value, b.constant("True"), b.constant("False"))
    return b.cast(value, np.dtype("U"))


OPS: dict[str, Any] = {
    "constant": constant, "output": output, "same": same, "check_bound": check_bound, "dimension": dimension,
    "convert": convert, "with_shape": with_shape, "item": item, "int": to_int, "float": to_float,
    "bool": to_bool, "not_": negation, "either": either, "round": rounded, "sum": total,
    "min": extreme("Min"), "max": extreme("Max"), "any": tested("any"), "all": tested("all"),
    "sorted": ordering, "iterate": iterate, "len": length_of, "contains": contains, "text": text,
    "str": to_text, "range": iterables.emit_range, "enumerate": iterables.emit_enumerate,
    "zip": iterables.emit_zip, "reversed": iterables.emit_reversed,
}  # fmt: skip
