"""Record operations: each function adds the nodes of one operation to the current graph.

The type rules infer the types of results. `ir.expressions` defines what operations do at run time.
"""

from __future__ import annotations

import functools
import operator
import types
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Literal, TypeAlias

import numpy as np

from ...core.fixed_points import end_path, is_searching
from ...debugging.tracebacks import INFERRING
from ...staging import AlwaysRaises
from ...values.structures import is_reference
from ..ir.graph import Node, Slot
from ..ir.types import (
    SAMPLES,
    ArrayType,
    ListType,
    OptionalType,
    ScalarType,
    StagedType,
    TupleType,
    bound_type,
    constant_type,
)
from ..rules import ARRAYS_OF_SCALARS, COMPOSITIONS, TYPE_RULES, check_setitem, getitem_type, ufunc_type
from ..rules.methods import function_name, ufunc_name
from ..rules.probing import Rule, container_of
from ..rules.ufuncs import OPERATOR_OF, operator_type
from . import unsupported
from .trace import bound_node, current_builder, user_frames

_cached_rule = functools.lru_cache(maxsize=4096)(lambda rule, types: rule(*types))
_staged = types.SimpleNamespace()


def register_staged_class(
    kind: type, make: Callable[[Node], Any], in_place_of: Callable[[Any, Callable[[str], Exception]], Any]
) -> None:
    """Register what depends on this module: the class of staged values, the function that wraps nodes, and
    `numpy_writes.staged_in_place`.
    """
    _staged.kind, _staged.make, _staged.in_place_of = kind, make, in_place_of


def is_staged(value: Any) -> bool:
    return isinstance(value, _staged.kind)


def can_stage(value: Any) -> bool:
    """Return whether a value can be an operand: staged, a number, a string, an array or a list of these."""
    if is_staged(value) or constant_type(value) is not None:
        return True
    return isinstance(value, (list, tuple)) and all(map(can_stage, value))


def wrap(node: Node) -> Any:
    return _staged.make(node)


def add(
    op: str, inputs: Sequence[Any], kind: StagedType | None, *, effect: bool = False, **attrs: Any
) -> Node:
    """Add a node whose inputs are nodes, staged values or plain values."""
    return current_builder().add(op, [to_node(i) for i in inputs], attrs, kind, effect=effect)


def record(op: str, inputs: Sequence[Any], kind: StagedType, *, effect: bool = False, **attrs: Any) -> Any:
    """Add a node and return its result as a staged value."""
    return wrap(add(op, inputs, kind, effect=effect, **attrs))


def to_node(value: Any) -> Node:
    """Return the node of a staged or plain value in the current graph."""
    if isinstance(value, Node):
        return value
    if is_staged(value):
        return value.node()
    if is_reference(value):
        return to_node(value.ag__reference)
    if isinstance(value, (list, tuple)):
        return to_node(call(np.array, (list(value),), {}) if contains_staged(value) else np.asarray(value))
    kind = constant_type(value)
    if kind is None:
        raise unsupported.foreign_operand(value)
    return current_builder().constant(value, kind)


def contains_staged(value: Any) -> bool:
    if is_staged(value):
        return True
    if isinstance(value, slice):
        return any(map(is_staged, (value.start, value.stop, value.step)))
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, (list, tuple)) else ()
    return any(map(contains_staged, parts))


# Calls to NumPy


class Arguments:
    """Collector of the staged inputs of a call, which replaces them with slots in the call's arguments.

    The given `inputs` precede the collected ones. Templates contain tuples in place of namedtuples unless
    `keep_namedtuples` is true.
    """

    def __init__(self, inputs: Iterable[Node] = (), *, keep_namedtuples: bool = False) -> None:
        self.inputs = list(inputs)
        self._keep_namedtuples = keep_namedtuples

    def templates(self, *values: Any) -> list[Any]:
        """Return the values with slots in place of staged values."""
        return [self.extract(value)[0] for value in values]

    def extract(self, value: Any) -> tuple[Any, Any]:
        """Return two copies of a value, one with slots and one with types in place of staged values."""
        if is_staged(value) or is_reference(value) or isinstance(value, np.ndarray):
            return self._slot(bound_node(to_node(value)))
        if isinstance(value, (list, tuple)):
            parts = [self.extract(v) for v in value]
            kind = list if isinstance(value, list) else tuple
            make = getattr(value, "_make", kind) if self._keep_namedtuples else kind
            return make([p[0] for p in parts]), kind([p[1] for p in parts])
        if isinstance(value, slice):
            (a, x), (b, y), (c, z) = map(self.extract, (value.start, value.stop, value.step))
            return slice(a, b, c), slice(x, y, z)
        if isinstance(value, dict):
            items = {k: self.extract(v) for k, v in value.items()}
            return {k: v[0] for k, v in items.items()}, {k: v[1] for k, v in items.items()}
        return value, value

    def _slot(self, node: Node) -> tuple[Slot, Any]:
        is_array = isinstance(node.type, ListType) and not self._keep_namedtuples
        if is_array and isinstance(node.type.element, OptionalType) and node.type.element.held is not None:
            node = add("list_some", (node,), ListType(node.type.element.held), effect=True)
        self.inputs.append(node)
        return Slot(len(self.inputs) - 1), _array_type(node.type) if is_array else node.type


def _array_type(kind: StagedType | None) -> ArrayType:
    """Return the type of the array that NumPy makes of a staged value."""
    if isinstance(kind, ListType) and kind.element is None:
        if not is_searching():
            return ArrayType(np.dtype(float), (None,))
        raise AlwaysRaises if end_path(user_frames()) else unsupported.list_without_array()
    if isinstance(kind, ListType):
        inner = _array_type(kind.element)
        return ArrayType(inner.dtype, (None, *inner.shape))
    kinds = [*map(_array_type, kind.parts)] if isinstance(kind, TupleType) else []
    dtypes = {k.dtype for k in kinds}
    if len({k.shape for k in kinds}) == 1 and (len(dtypes) == 1 or all(d.kind in "biufc" for d in dtypes)):
        return ArrayType(np.result_type(*dtypes), (len(kinds), *kinds[0].shape))
    if not isinstance(kind, (ArrayType, ScalarType)):
        raise unsupported.list_without_array()
    return kind if isinstance(kind, ArrayType) else ArrayType(np.dtype(kind.python))


def call(function: Callable, args: tuple, kwargs: dict[str, Any]) -> Any:
    """Record a call to a NumPy function.

    Raises:
        UnsupportedFunctionError: the function has neither a type rule nor a composition.
    """
    rule = TYPE_RULES.get(function)
    if rule is None:
        composition = COMPOSITIONS.get(function)
        if composition is None:
            raise unsupported.no_rule(function, function_name(function))
        return composition(*args, **kwargs)
    return call_by_rule(function, rule, *args, **kwargs)


def call_by_rule(function: Callable, rule: Rule, /, *args: Any, **kwargs: Any) -> Any:
    """Record a call to a function whose result has the type that a rule infers."""
    out = kwargs.pop("out", None)
    arguments = Arguments()
    template, types = arguments.extract(tuple(args))
    named, named_types = arguments.extract(dict(kwargs))
    if not named_types and all(isinstance(t, (ArrayType, ScalarType)) for t in types):
        kind = _cached_rule(rule, types)
    else:
        kind = rule(*types, **named_types)
    if isinstance(kind, ArrayType) and kind.dtype.names:
        raise unsupported.structured_array(function_name(function))
    result = record_call(function_name(function), function, arguments.inputs, template, named, kind)
    if out is not None:
        where = kwargs.get("where", True) if function is np.clip else True
        return write_out(out, result, where, function_name(function))
    if function in ARRAYS_OF_SCALARS and getattr(result, "type", None) is not None:
        result.is_mutable = True
    return result


def record_call(
    op: str, function: Callable, inputs: Sequence[Node], args: Any, kwargs: Any, kind: Any
) -> Any:
    """Record a call whose result has the inferred type `kind`, or return `kind` if it is a plain value."""
    if isinstance(kind, (tuple, list)) and any(isinstance(k, (ArrayType, ScalarType)) for k in kind):
        node = add(op, inputs, None, function=function, args=args, kwargs=kwargs)
        return container_of(kind)(outputs(node, kind))
    if not isinstance(kind, (ArrayType, ScalarType, ListType)):
        return kind
    return record(op, inputs, kind, function=function, args=args, kwargs=kwargs)


def output(node: Node, index: int, kind: StagedType) -> Node:
    return add("output", (node,), kind, index=index)


def outputs(node: Node, kinds: Iterable[StagedType]) -> list[Any]:
    """Return the results of a node, one for each type in `kinds`, as staged values."""
    return [wrap(output(node, i, kind)) for i, kind in enumerate(kinds)]


def ufunc(function: np.ufunc, method: str, inputs: tuple, kwargs: dict[str, Any]) -> Any:
    """Record a call to a ufunc or to one of its methods, such as `reduce`."""
    out = kwargs.pop("out", None)
    if method == "at":
        return COMPOSITIONS[np.ufunc.at](function, *inputs)
    where = kwargs.get("where", True) if method == "__call__" else True
    if out is not None and where is not True:
        kwargs["out"] = None  # the elements left out are taken from `out` afterwards
    name = OPERATOR_OF.get(function)
    all_scalars = all(map(_is_python_scalar, inputs))
    is_operator = name is not None and method == "__call__" and not kwargs and not all_scalars
    if name is not None and is_operator and not _differs_from_operator(name, inputs):
        result = unary(name, inputs[0]) if len(inputs) == 1 else binary(name, *inputs, out=out and out[0])
    else:
        arguments = Arguments()
        template, types = arguments.extract(tuple(map(_to_array_type, inputs)) if all_scalars else inputs)
        named, named_types = arguments.extract(kwargs)
        kind = ufunc_type(function, method, types, named_types)
        target = function if method == "__call__" else getattr(function, method)
        suffix = "" if method == "__call__" else f".{method}"
        op = f"{ufunc_name(function)}{suffix}"
        result = record_call(op, target, arguments.inputs, template, named, kind)
    if out is None:
        return result
    results = result if isinstance(result, tuple) else (result,)
    name = f"numpy.{function.__name__}"
    written = [o if o is None else write_out(o, r, where, name) for o, r in zip(out, results, strict=False)]
    return written[0] if len(out) == 1 else tuple(written)


def write_out(out: Any, result: Any, where: Any, name: str) -> Any:
    """Write a result to the array given as `out=`, at the elements that `where=` selects; return the array.

    A staged array takes the place of a plain one.
    """
    if not is_staged(out):
        out = _staged.in_place_of(out, lambda other: unsupported.plain_out(name, other))
    kind: Any = bound_type(out.type)
    result = cast(result, kind, casting="same_kind")
    if where is not True:
        result = np.where(where, result, out)
    fits = kind.shape and None not in kind.shape and kind == result.type
    out.write_through(result if fits else setitem(out, ..., result))
    return out


def _differs_from_operator(name: str, inputs: Sequence[Any]) -> bool:
    """Return whether a ufunc call may compute a different result from the operator of the same name.

    `x ** 2` computes a square, and operators on NumPy scalars round differently and may give NaNs another
    sign. If the first operand belongs to NumPy, the call may come from an operator, which NumPy turns into a
    ufunc call.
    """
    if isinstance(inputs[0], (np.ndarray, np.generic)):
        return False
    return name == "pow" or all(map(_is_zero_dimensional, inputs))


def _is_zero_dimensional(value: Any) -> bool:
    if is_staged(value):
        return isinstance(value.type, ScalarType) or getattr(value.type, "shape", None) == ()
    return isinstance(value, (int, float, complex, np.generic))


def _is_python_scalar(value: Any) -> bool:
    return isinstance(value.type if is_staged(value) else constant_type(value), ScalarType)


def _to_array_type(value: Any) -> Any:
    """Cast a staged Python scalar to a NumPy scalar, as a ufunc does."""
    return cast(value, ArrayType(np.dtype(value.type.python))) if is_staged(value) else value


# Python's operators


def binary(name: str, left: Any, right: Any, *, out: Any = None) -> Any:
    a, b = bound_node(to_node(left)), bound_node(to_node(right))
    if name == "pow" and _is_bool_array(left, a.type) and b.type == ScalarType(int):
        if is_staged(right):
            raise unsupported.bool_array_power()
        if right == 2:  # NumPy computes a square, which has another dtype
            return ufunc(np.square, "__call__", (left,), {})
    first = left if isinstance(left, str) and isinstance(b.type, ArrayType) else a.type
    second = right if isinstance(right, str) and isinstance(a.type, ArrayType) else b.type
    kind = operator_type(name, (first, second))
    is_own = out is left and kind == a.type and isinstance(kind, ArrayType) and kind.dtype.kind == "c"
    name = "mul_in_place" if is_own and name == "mul" else name
    return wrap(current_builder().add(name, (a, b), {}, kind))


def _is_bool_array(value: Any, kind: StagedType) -> bool:
    """Return whether a value is an array of bools rather than a NumPy scalar."""
    if not isinstance(kind, ArrayType) or kind.dtype != bool:
        return False
    return bool(kind.shape) or isinstance(value, np.ndarray) or getattr(value, "is_mutable", False)


def unary(name: str, operand: Any) -> Any:
    node = bound_node(to_node(operand))
    return wrap(current_builder().add(name, (node,), {}, operator_type(name, (node.type,))))


def builtin(function: Callable, *args: Any) -> Any:
    """Record a call to a Python builtin on numbers. A call with samples determines the result type."""
    samples = [sample(a) for a in args]
    kind = constant_type(function(*samples))
    if kind is None:
        raise unsupported.no_result(function.__name__, samples)
    return record(function.__name__, args, kind, function=function)


def sample(value: Any) -> Any:
    if not is_staged(value):
        return value
    kind = value.type
    return SAMPLES[kind.python] if isinstance(kind, ScalarType) else np.ones(kind.shape, kind.dtype)[()]


def item(value: Any) -> Any:
    """Convert an array of one element to a Python scalar."""
    if isinstance(value.type, ScalarType):
        return value
    return record("item", (value,), ScalarType(type(np.ones((), value.type.dtype).item())))


def dimension(value: Any, axis: int) -> Any:
    return record("dimension", (value,), ScalarType(int), axis=axis)


Casting: TypeAlias = Literal["same_kind", "unsafe"]


def cast(value: Any, kind: StagedType, *, casting: Casting = "unsafe") -> Any:
    """Convert a value to another dtype, or a Python scalar to an array."""
    node = to_node(value)
    if node.type == kind:
        return wrap(node)
    if isinstance(kind, ArrayType):
        if isinstance(node.type, ArrayType):
            if casting != "unsafe" and not np.can_cast(node.type.dtype, kind.dtype, casting):
                unsupported.raise_cast_error(node, kind)
            if node.type.dtype == kind.dtype:
                return wrap(node)
        result_type = ArrayType(kind.dtype, node.type.shape if isinstance(node.type, ArrayType) else ())
        return record("convert", (node,), result_type, dtype=kind.dtype)
    if isinstance(kind, ScalarType):
        return record(kind.python.__name__, (node,), kind, function=kind.python)
    return wrap(node)


# Items


def getitem(target: Any, key: Any) -> Any:
    base = to_node(target)
    arguments = Arguments([base])
    template, types = arguments.extract(key)
    kind = getitem_type(base.type, types)
    return record_call("getitem", operator.getitem, arguments.inputs, (Slot(0), template), {}, kind)


def setitem(target: Any, key: Any, value: Any) -> Any:
    """Return `target` with `value` at `key`. Compiled code writes in place unless the old array is needed."""
    base = to_node(target)
    arguments = Arguments([base])
    template, types = arguments.extract(key)
    new = to_node(value)
    check_setitem(base.type, types, new.type)
    return record("setitem", (*arguments.inputs, new), base.type, key=template)


INFERRING.update(f.__code__ for f in (call_by_rule, ufunc, binary, unary, getitem, setitem))
