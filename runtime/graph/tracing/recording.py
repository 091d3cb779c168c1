"""Recording: each function adds the nodes of one operation to the current graph.

Types come from the rules; what an operation does at run time is in `autograph_rs.runtime.graph.run`.
"""

from __future__ import annotations

import builtins
import functools
import operator
import types
from collections.abc import Callable, Sequence
from typing import Any, Literal, NoReturn, TypeAlias

import numpy as np

from . import refused
from .ir import Node, Slot
from .rules import ARRAYS_OF_SCALARS, NUMPY, getitem_type, methods, setitem_check, ufunc_type
from .trace import current, scalar_type
from .types import SAMPLES, ArrayType, ListType, MaybeType, ScalarType, StagedType

UFUNCS = {
    "add": np.add, "sub": np.subtract, "mul": np.multiply, "truediv": np.true_divide,
    "floordiv": np.floor_divide, "mod": np.remainder, "pow": np.power, "matmul": np.matmul,
    "lshift": np.left_shift, "rshift": np.right_shift, "and_": np.bitwise_and, "or_": np.bitwise_or,
    "xor": np.bitwise_xor, "lt": np.less, "le": np.less_equal, "gt": np.greater, "ge": np.greater_equal,
    "eq": np.equal, "ne": np.not_equal, "neg": np.negative, "pos": np.positive, "abs": np.absolute,
    "invert": np.invert,
}  # fmt: skip
OPERATOR_OF = {ufunc: name for name, ufunc in UFUNCS.items()}
_known_type = functools.lru_cache(maxsize=4096)(lambda rule, types: rule(*types))
_values = types.SimpleNamespace()


def use(kind: type, make: Callable[[Node], Any]) -> None:
    """Make known what staged values are and how one is made: their module, which imports this one, does."""
    _values.kind, _values.make = kind, make


def is_staged(value: Any) -> bool:
    return isinstance(value, _values.kind)


def can_stage(value: Any) -> bool:
    """Whether a value can be an operand: staged, a number, a string, an array or a list of these."""
    if is_staged(value) or scalar_type(value) is not None:
        return True
    return isinstance(value, (list, tuple)) and all(map(can_stage, value))


def wrap(node: Node) -> Any:
    return _values.make(node)


def add(
    op: str, inputs: Sequence[Any], kind: StagedType | None, *, effect: bool = False, **attrs: Any
) -> Node:
    return current().add(op, [to_node(i) for i in inputs], attrs, kind, effect=effect)


def to_node(value: Any) -> Node:
    """The node of a staged or plain value in the current graph."""
    if isinstance(value, Node):
        return value
    if is_staged(value):
        return value.node()
    if isinstance(value, (list, tuple)):
        return to_node(call(np.array, (list(value),), {}) if contains_staged(value) else np.asarray(value))
    kind = scalar_type(value)
    if kind is None:
        raise refused.foreign(value)
    return current().constant(value, kind)


def contains_staged(value: Any) -> bool:
    if is_staged(value):
        return True
    if isinstance(value, (list, tuple)):
        return any(map(contains_staged, value))
    if isinstance(value, dict):
        return any(map(contains_staged, value.values()))
    if isinstance(value, slice):
        return any(map(is_staged, (value.start, value.stop, value.step)))
    return False


# Calls of NumPy


class Arguments:
    """A call's arguments, taken apart: a template with slots, which has named tuples only with `named`, the
    same with types, and the inputs.
    """

    def __init__(self, *, named: bool = False) -> None:
        self.inputs: list[Node] = []
        self._named = named

    def take(self, value: Any) -> tuple[Any, Any]:
        if is_staged(value) or isinstance(value, np.ndarray):
            return self._slot(_bound(to_node(value)))
        if isinstance(value, (list, tuple)):
            parts = [self.take(v) for v in value]
            kind = list if isinstance(value, list) else tuple
            make = getattr(value, "_make", kind) if self._named else kind
            return make([p[0] for p in parts]), kind([p[1] for p in parts])
        if isinstance(value, slice):
            (a, x), (b, y), (c, z) = map(self.take, (value.start, value.stop, value.step))
            return slice(a, b, c), slice(x, y, z)
        if isinstance(value, dict):
            taken = {k: self.take(v) for k, v in value.items()}
            return {k: v[0] for k, v in taken.items()}, {k: v[1] for k, v in taken.items()}
        return value, value

    def _slot(self, node: Node) -> tuple[Slot, Any]:
        kind = node.type
        if isinstance(kind, ListType):
            element = kind.element
            if not isinstance(element, (ArrayType, ScalarType)):
                raise refused.list_without_array()
            inner = element if isinstance(element, ArrayType) else ArrayType(np.dtype(element.python))
            kind = ArrayType(inner.dtype, (None, *inner.shape))
        self.inputs.append(node)
        return Slot(len(self.inputs) - 1), kind


def function_name(function: Callable) -> str:
    module = getattr(function, "__module__", "") or ""
    name = getattr(function, "__name__", repr(function))
    if module == methods.__name__:
        return f"numpy.ndarray.{name}"
    return f"{module.replace('numpy.core', 'numpy').replace('._', '.')}.{name}" if module else name


def call(function: Callable, args: tuple, kwargs: dict[str, Any]) -> Any:
    """A call of a NumPy function.

    Raises:
        UnsupportedFunctionError: the function is not in the table of rules.
    """
    rule = NUMPY.get(function)
    if rule is None:
        raise refused.no_rule(function_name(function))
    out = kwargs.pop("out", None)
    taken = Arguments()
    template, types = taken.take(tuple(args))
    named, named_types = taken.take(dict(kwargs))
    if not named_types and all(isinstance(t, (ArrayType, ScalarType)) for t in types):
        kind = _known_type(rule, types)
    else:
        kind = rule(*types, **named_types)
    made = recorded(function_name(function), function, taken.inputs, template, named, kind)
    if out is not None:
        if not is_staged(out):
            raise refused.plain_out(function_name(function))
        out.write_through(converted(made, out.type, casting="same_kind"))
        return out
    if function in ARRAYS_OF_SCALARS and getattr(made, "type", None) is not None:
        made.in_place = True
    return made


def recorded(op: str, function: Callable, inputs: Sequence[Node], args: Any, kwargs: Any, kind: Any) -> Any:
    if isinstance(kind, (tuple, list)) and any(isinstance(k, (ArrayType, ScalarType)) for k in kind):
        node = add(op, inputs, None, function=function, args=args, kwargs=kwargs)
        parts = [wrap(output(node, i, k)) for i, k in enumerate(kind)]
        return parts if isinstance(kind, list) else tuple(parts)
    if not isinstance(kind, (ArrayType, ScalarType, ListType)):
        return kind
    return wrap(add(op, inputs, kind, function=function, args=args, kwargs=kwargs))


def output(node: Node, index: int, kind: StagedType) -> Node:
    return add("output", (node,), kind, index=index)


def ufunc(function: np.ufunc, method: str, inputs: tuple, kwargs: dict[str, Any]) -> Any:
    """A ufunc, called or by one of its methods."""
    out = kwargs.pop("out", None)
    if method == "at":
        raise refused.at_items(f"numpy.{function.__name__}")
    name = OPERATOR_OF.get(function)
    plain_call = method == "__call__" and not kwargs
    if plain_call and name is not None and not _all_scalars(inputs) and not _is_call(name, inputs):
        made = unary(name, inputs[0]) if len(inputs) == 1 else binary(name, *inputs)
    else:
        taken = Arguments()
        template, types = taken.take(tuple(_stronger(i) for i in inputs) if _all_scalars(inputs) else inputs)
        named, named_types = taken.take(kwargs)
        kind = ufunc_type(function, method, types, named_types)
        target = function if method == "__call__" else getattr(function, method)
        suffix = "" if method == "__call__" else f".{method}"
        made = recorded(f"numpy.{function.__name__}{suffix}", target, taken.inputs, template, named, kind)
    if out is None:
        return made
    for target, value in zip(out, made if isinstance(made, tuple) else (made,), strict=False):
        if target is not None:
            if not is_staged(target):
                raise refused.plain_out(f"numpy.{function.__name__}")
            target.write_through(converted(value, target.type, casting="same_kind"))
    return out[0] if len(out) == 1 else out


def _is_call(name: str, inputs: Sequence[Any]) -> bool:
    """Whether a ufunc that was called does something else than the operator of its name.

    `x ** 2` is a square, and operators of NumPy scalars round, and sign NaNs, in their own way. NumPy calls
    the ufunc for an operator, too, where its first operand is no staged value.
    """
    if not is_staged(inputs[0]):
        return False
    return name == "pow" or all(map(_is_single, inputs))


def _is_single(value: Any) -> bool:
    if is_staged(value):
        return isinstance(value.type, ScalarType) or getattr(value.type, "shape", None) == ()
    return isinstance(value, (int, float, complex, np.generic))


def _all_scalars(inputs: Sequence[Any]) -> bool:
    return all(isinstance(getattr(i, "type", None), ScalarType) or scalar_kind(i) for i in inputs)


def scalar_kind(value: Any) -> bool:
    return isinstance(scalar_type(value), ScalarType)


def _stronger(value: Any) -> Any:
    """A Python scalar as the NumPy scalar that a ufunc makes of it."""
    if is_staged(value):
        return converted(value, ArrayType(np.dtype(value.type.python)))
    return value


# Python's operators


def binary(name: str, left: Any, right: Any) -> Any:
    a, b = _bound(to_node(left)), _bound(to_node(right))
    if name == "pow" and _is_array_of_truths(left, a.type):
        if type(right) is int and right == 2:
            return ufunc(
                np.square, "__call__", (left,), {}
            )  # as NumPy does, and a square is of another dtype
        if is_staged(right) and b.type == ScalarType(int):
            raise refused.power_of_truths()
    if not is_staged(left):
        kinds = (left if isinstance(left, str) and isinstance(b.type, ArrayType) else a.type, b.type)
    else:
        kinds = (a.type, right if isinstance(right, str) and isinstance(a.type, ArrayType) else b.type)
    return wrap(current().add(name, (a, b), {}, operator_type(name, kinds)))


def _is_array_of_truths(value: Any, kind: StagedType) -> bool:
    """Whether a value is an array of truth values, rather than a NumPy scalar."""
    if not isinstance(kind, ArrayType) or kind.dtype != bool:
        return False
    return bool(kind.shape) or isinstance(value, np.ndarray) or getattr(value, "in_place", False)


def _bound(node: Node) -> Node:
    """The node of a value that is certainly bound."""
    if not isinstance(node.type, MaybeType):
        return node
    return current().add("check_bound", (node,), {"symbol": node.type.name}, node.type.held, effect=True)


def unary(name: str, operand: Any) -> Any:
    node = _bound(to_node(operand))
    return wrap(current().add(name, (node,), {}, operator_type(name, (node.type,))))


@functools.lru_cache(maxsize=4096)
def operator_type(name: str, kinds: tuple[Any, ...]) -> StagedType:
    """The type of an operator's result. A text beside an array stands for itself."""
    if any(isinstance(k, ArrayType) for k in kinds):
        return ufunc_type(UFUNCS[name], "__call__", kinds, {})
    function = builtins.abs if name == "abs" else getattr(operator, name)
    return ScalarType(type(function(*[SAMPLES[k.python] for k in kinds])))


def builtin(function: Callable, *args: Any) -> Any:
    """A Python builtin on numbers, whose result is a Python scalar or a NumPy one, by example."""
    samples = [_sample(a) for a in args]
    kind = scalar_type(function(*samples))
    if kind is None:
        raise refused.no_result(function.__name__, samples)
    return wrap(add(function.__name__, args, kind, function=function))


def _sample(value: Any) -> Any:
    if not is_staged(value):
        return value
    kind = value.type
    return SAMPLES[kind.python] if isinstance(kind, ScalarType) else np.ones(kind.shape, kind.dtype)[()]


def item(value: Any) -> Any:
    """The Python scalar in an array of one element."""
    if isinstance(value.type, ScalarType):
        return value
    return wrap(add("item", (value,), ScalarType(type(np.ones((), value.type.dtype).item()))))


def dimension(value: Any, axis: int) -> Any:
    return wrap(add("dimension", (value,), ScalarType(int), axis=axis))


Casting: TypeAlias = Literal["same_kind", "unsafe"]


def converted(value: Any, kind: StagedType, *, casting: Casting = "unsafe", operation: str = "") -> Any:
    """A value brought to another dtype, or from a Python scalar to an array."""
    node = to_node(value)
    if node.type == kind:
        return wrap(node)
    if isinstance(kind, ArrayType):
        if isinstance(node.type, ArrayType):
            if casting != "unsafe" and not np.can_cast(node.type.dtype, kind.dtype, casting):
                _refuse_cast(node, kind, operation)
            if node.type.dtype == kind.dtype:
                return wrap(node)
        return wrap(
            current().add("convert", (node,), {"dtype": kind.dtype}, _converted_type(node.type, kind))
        )
    if isinstance(kind, ScalarType):
        return wrap(current().add(kind.python.__name__, (node,), {"function": kind.python}, kind))
    return wrap(node)


def shaped(value: Any, kind: ArrayType, what: str) -> Any:
    """A value whose shape must be the known one of `kind`, now or when the graph runs."""
    shape = value.type.shape
    if shape == kind.shape:
        return value
    if len(shape) != kind.ndim or any(a not in (b, None) for a, b in zip(shape, kind.shape, strict=True)):
        raise refused.other_shape(what, kind.shape, shape)
    args = (Slot(0), kind.shape, what)
    return wrap(add("with_shape", (value,), kind, function=with_shape, args=args, kwargs={}))


def with_shape(value: Any, shape: tuple[int, ...], what: str) -> Any:
    if value.shape != shape:
        raise refused.other_shape(what, shape, value.shape)
    return value


def _refuse_cast(node: Node, kind: ArrayType, operation: str) -> NoReturn:
    """NumPy's own error for `operation` in place: it is run on ones, with operands and target so typed."""
    if operation in UFUNCS:
        operands = [_one(i.type) for i in node.inputs]
        UFUNCS[operation](*operands, out=np.ones((1,) * kind.ndim, kind.dtype))
    raise TypeError(f"{operation}: cannot cast {node.type.dtype} to {kind.dtype}")


def _one(kind: Any) -> Any:
    return np.ones((1,) * kind.ndim, kind.dtype) if isinstance(kind, ArrayType) else SAMPLES[kind.python]


def _converted_type(old: StagedType, new: ArrayType) -> ArrayType:
    return ArrayType(new.dtype, old.shape if isinstance(old, ArrayType) else ())


# Items


def getitem(target: Any, key: Any) -> Any:
    taken = Arguments()
    base = to_node(target)
    taken.inputs.append(base)
    template, types = taken.take(key)
    kind = getitem_type(base.type, types)
    return recorded("getitem", operator.getitem, taken.inputs, (Slot(0), template), {}, kind)


def setitem(target: Any, key: Any, value: Any) -> Any:
    """The array that differs from `target` at `key`."""
    taken = Arguments()
    base = to_node(target)
    taken.inputs.append(base)
    template, types = taken.take(key)
    new = to_node(value)
    taken.inputs.append(new)
    setitem_check(base.type, types, new.type)
    return wrap(add("setitem", taken.inputs, base.type, key=template))
