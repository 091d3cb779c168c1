"""ONNX rules for Python's builtins and the graph's own ops, called with the emitter and the node."""

from __future__ import annotations

import builtins
import functools
import math
import warnings
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from ...core.undefined import unbound_error
from ...graph.functions.elementwise.onnx_arithmetic import checked_cast, replace_nan
from ...graph.functions.elementwise.onnx_functions import around, check_finite
from ...graph.functions.reductions.onnx import exact_integer_reduction
from ...graph.functions.searching.onnx import sort_with_indices
from ...graph.ir.graph import Missing, Node, Slot
from ...graph.ir.types import ArrayType, ListType, OptionalType, ScalarType
from . import iterables
from .builder import unsupported
from .builder.builder import BOOL, FLOAT, INT, Value
from .builder.call import Call
from .builder.values import Empty, Items, Maybe, coerce, dtype_of, length, nonzero, truth, zero
from .iterables import as_list

if TYPE_CHECKING:
    from .emitter import Emitter


def constant(e: Emitter, node: Node) -> Any:
    value = node.attrs["value"]
    if value is Missing.VALUE:
        return value
    if isinstance(node.type, OptionalType):
        return coerce(e.b, value, node.type)
    if isinstance(node.type, ScalarType) and node.type.python in (bool, int, float, str):
        return e.b.constant(value)
    if not isinstance(node.type, ArrayType):
        raise unsupported.unsupported_node(
            node,
            "a model can contain only arrays and numbers",
            "use arrays and numbers",
            f"a {type(value).__name__}",
        )
    return e.b.constant(np.asarray(value), dtype_of(e.b, node.type) if node.type.dtype.kind != "U" else None)


def check_bound(e: Emitter, node: Node) -> Any:
    if isinstance(node.type, OptionalType) and isinstance(e.values[node.inputs[0]], Maybe):
        raise unsupported.unsupported_node(
            node,
            "a model does not tell a missing value from None",
            "return a value on all paths, or None on none",
            "a result that may be None",
        )
    error = unbound_error(node.attrs["symbol"])
    return _bound(e, node, f"{type(error).__name__}: {error}")


def some(e: Emitter, node: Node) -> Any:
    return _bound(e, node, "TypeError: an operand is None")


def is_none(e: Emitter, node: Node) -> Any:
    value = e.values[node.inputs[0]]
    return e.b.logical_not(value.is_bound) if isinstance(value, Maybe) else e.b.constant(value is None)


def _bound(e: Emitter, node: Node, message: str) -> Any:
    """Return a value that may be unbound or None, with a check that it is neither."""
    value = e.values[node.inputs[0]]
    if isinstance(value, Maybe):
        e.b.check(e.b.logical_not(value.is_bound), message)
        return value.held
    if value is Missing.VALUE:
        e.b.fail(message)
        return zero(e.b, node.type)
    return value


def emit_convert(e: Emitter, node: Node) -> Any:
    result = e.argument(node.inputs[0])
    if isinstance(result, Value) and isinstance(node.type, ArrayType):
        result = checked_cast(Call(e.b, node), result, dtype_of(e.b, node.type))
    return coerce(e.b, e.values[node.inputs[0]] if isinstance(node.type, ListType) else result, node.type)


def with_shape(e: Emitter, node: Node) -> Value:
    b, x = e.b, e.values[node.inputs[0]]
    _, shape, what = node.attrs["args"]
    if node.inputs[0].type.shape != shape and shape:
        b.check(
            b.logical_not(b.all(b.equal(b.shape(x), b.ints(*shape)))), f"SpecError: {what} has a wrong shape"
        )
    return x


def _error_of_none(function: Callable[[Any], Any]) -> str:
    """Return the text of the error that a builtin raises for None."""
    try:
        function(None)
    except TypeError as error:
        return f"TypeError: {error}"
    raise AssertionError(f"{function.__name__} accepts None")


def to_number(e: Emitter, node: Node) -> Value:
    """Return the operand of `int` or `float` as a scalar of that type."""
    x = _bound(e, node, _error_of_none(getattr(builtins, node.op)))
    if x.ndim and not converts_one_item_arrays():
        e.b.fail("TypeError: only 0-dimensional arrays can be converted to Python scalars")
    x = e.b.scalar(x)
    if x.dtype.kind == "U":
        raise unsupported.unsupported_options(node, "text")
    if node.op == "float":
        return e.b.cast(x, FLOAT)
    if x.dtype.kind == "f":
        check_finite(Call(e.b, node), x)
    return coerce(e.b, x, node.type)


@functools.cache
def converts_one_item_arrays() -> bool:
    """Return whether NumPy converts an array of one element to a number, as it did before 2.4."""
    try:
        with warnings.catch_warnings(action="ignore"):
            int(np.ones(1))
    except TypeError:
        return False
    return True


def emit_round(e: Emitter, node: Node) -> Value:
    b, x, *digits = e.b, *e.inputs(node)
    c = Call(e.b, node)
    if x.dtype.kind in "iub" and not digits:
        return coerce(b, x, node.type)
    if isinstance(node.type, ArrayType):
        return coerce(b, around(c, x, *digits), node.type)
    if digits and x.dtype.kind == "f":
        raise unsupported.unsupported_options(node, "digits, since Python rounds the decimal representation")
    if digits:
        raise unsupported.unsupported_options(node, "digits")
    check_finite(c, x)
    return b.cast(b.op("Round", x), INT)


def items_tensor(e: Emitter, node: Node, value: Any) -> Value:
    """Return the items of an iterable as one tensor."""
    result = as_list(e.b, value)
    if not isinstance(result, Items):
        raise unsupported.unsupported_options(
            node, "an empty list" if isinstance(result, Empty) else "tuples or arrays"
        )
    return result.tensor


def emit_sum(e: Emitter, node: Node) -> Value:
    b = e.b
    source, *start = e.inputs(node)
    result = as_list(b, source)
    first = start[0] if start else b.constant(0)
    if isinstance(result, Empty):
        return coerce(b, first, node.type)
    items = b.cast(items_tensor(e, node, source), dtype_of(b, node.type))
    if isinstance(node.type, ScalarType) and items.dtype == INT:
        most = b.reduce("ReduceSum", b.op("Abs", b.cast(items, FLOAT)))
        b.check(
            b.less(b.constant_like(2.0**62, most), most),
            "OverflowError: a sum of Python ints needs more than 64 bits",
        )
    summed = (
        exact_integer_reduction(b, "ReduceSum", items, [0])
        if items.dtype.kind in "iu"
        else b.reduce("ReduceSum", items, [0])
    )
    return b.add(summed, b.cast(first, items.dtype))


def min_or_max(kind: str) -> Any:
    """Return the rule for `min` or `max`, which select the first of equal items."""

    def rule(e: Emitter, node: Node) -> Value:
        b = e.b
        operand = e.inputs(node)
        if len(operand) > 1:
            dtype = dtype_of(b, node.type)
            best, *others = (b.cast(v, dtype) for v in operand)
            for other in others:
                pair = (other, best) if kind == "Min" else (best, other)
                best = b.where(b.less(*pair), other, best)
            return best
        items = items_tensor(e, node, operand[0])
        if items.ndim != 1:
            raise unsupported.unsupported_options(node, "items that are arrays")
        check_not_empty(e, node, items, f"ValueError: {kind.lower()}() iterable argument is empty")
        used, nan = replace_nan(b, items, kind) if items.dtype.kind == "f" else (items, None)
        result = b.reduce(f"Reduce{kind}", used)
        if nan is not None:  # Python returns a NaN only if it comes first
            result = b.where(b.gather(nan, b.constant(0, INT)), math.nan, result)
        return coerce(b, result, node.type)

    return rule


def check_not_empty(e: Emitter, node: Node, items: Value, message: str) -> None:
    known = getattr(node.inputs[0].type, "shape", (None,))[:1]
    if known == (0,) or (items.constant is not None and not items.constant.size):
        e.b.fail(message)
    elif known == (None,):
        e.b.check(e.b.equal(e.b.dim(items, 0), 0), message)


def any_or_all(name: str) -> Any:
    """Return the rule for `any` or `all`."""

    def rule(e: Emitter, node: Node) -> Value:
        result = as_list(e.b, e.values[node.inputs[0]])
        if isinstance(result, Empty):
            return e.b.constant(name == "all", BOOL)
        result = items_tensor(e, node, e.values[node.inputs[0]])
        if result.ndim != 1:
            raise unsupported.unsupported_options(node, "items that are arrays")
        return getattr(e.b, name)(nonzero(e.b, result))

    return rule


def emit_sorted(e: Emitter, node: Node) -> Any:
    result = as_list(e.b, e.values[node.inputs[0]])
    if isinstance(result, Empty):
        return result
    tensor = items_tensor(e, node, result)
    if tensor.ndim != 1 or tensor.dtype.kind == "U":
        raise unsupported.unsupported_options(node, "items that are not numbers")
    descending = bool((node.attrs.get("kwargs") or {}).get("reverse"))
    return coerce(e.b, Items(sort_with_indices(e.b, tensor, 0, descending=descending)[0]), node.type)


def emit_len(e: Emitter, node: Node) -> Value:
    value = e.values[node.inputs[0]]
    if isinstance(value, Value) and value.dtype.kind == "U" and not value.ndim:
        raise unsupported.unsupported_options(node, "text")
    return length(e.b, value)


def emit_contains(e: Emitter, node: Node) -> Value:
    b = e.b
    container, item = e.inputs(node)
    if isinstance(node.inputs[0].type, ScalarType):
        raise unsupported.unsupported_options(node, "text")
    result = as_list(b, container)
    if isinstance(result, Empty):
        return b.constant(False, BOOL)
    items, sought = b.promote(
        items_tensor(e, node, result), e.argument(node.inputs[1]) if isinstance(item, Value) else item
    )
    return b.any(b.equal(items, sought))


def emit_text(e: Emitter, node: Node) -> Value:
    b = e.b
    result = b.constant("")
    for piece in node.attrs["args"]:
        if isinstance(piece, str):
            part = b.constant(piece)
        else:
            slot, conversion, spec = piece
            value = e.values[node.inputs[slot.index]] if isinstance(slot, Slot) else None
            if spec or conversion not in ("", "s") or not isinstance(value, Value):
                raise unsupported.unsupported_options(
                    node, "format specifications, or values that are not numbers"
                )
            part = as_text(e, node, value)
        result = b.op("StringConcat", result, part)
    return result


def as_text(e: Emitter, node: Node, value: Any) -> Value:
    b = e.b
    if not isinstance(value, Value) or value.ndim or value.dtype.kind == "f":
        raise unsupported.unsupported_node(
            node,
            "ONNX formats floats and arrays differently from Python",
            "return the numbers, and format them outside the function",
            f"text of a {node.inputs[0].type}" if node.inputs else "text",
        )
    if value.dtype == BOOL:
        return b.where(value, b.constant("True"), b.constant("False"))
    return b.cast(value, np.dtype("U"))


OPS: dict[str, Any] = {
    "constant": constant, "check_bound": check_bound, "some": some, "is_none": is_none,
    "convert": emit_convert, "with_shape": with_shape,
    "output": lambda e, node: e.values[node.inputs[0]][node.attrs["index"]],
    "same": lambda e, node: e.values[node.inputs[0]],
    "dimension": lambda e, node: e.b.dim(e.values[node.inputs[0]], node.attrs["axis"]),
    "item": lambda e, node: coerce(e.b, e.b.scalar(e.values[node.inputs[0]]), node.type),
    "int": to_number, "float": to_number,
    "bool": lambda e, node: truth(e.b, e.values[node.inputs[0]]),
    "not_": lambda e, node: e.b.logical_not(truth(e.b, e.values[node.inputs[0]])),
    "either": lambda e, node: e.b.logical_or(*(truth(e.b, v) for v in e.inputs(node))),
    "iterate": lambda e, node: coerce(e.b, as_list(e.b, e.values[node.inputs[0]]), node.type),
    "str": lambda e, node: as_text(e, node, e.values[node.inputs[0]]),
    "round": emit_round, "sum": emit_sum,
    "min": min_or_max("Min"), "max": min_or_max("Max"), "any": any_or_all("any"), "all": any_or_all("all"),
    "sorted": emit_sorted, "len": emit_len, "contains": emit_contains,
    "text": emit_text, "range": iterables.emit_range, "enumerate": iterables.emit_enumerate,
    "zip": iterables.emit_zip, "reversed": iterables.emit_reversed,
}  # fmt: skip
