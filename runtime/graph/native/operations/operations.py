"""Operations other than element-wise ones: items, creation of arrays, reductions, products, conversions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np

from ...ir.graph import Missing, Node
from ...ir.types import ArrayType, ScalarType
from ..assembly.kinds import BOOL, FLOAT, INT, Kind, kind_of
from ..assembly.memory import MAX_DIMENSION
from ..assembly.statuses import UnsupportedError
from ..assembly.values import Array, Expression, List, Maybe, Scalar
from .elementwise import ElementwiseEmitter, narrows
from .numpy_loops import LIBM

_OPERATORS = frozenset(
    ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "lshift", "rshift", "and_", "or_", "xor", "lt",
     "le", "gt", "ge", "eq", "ne", "neg", "pos", "abs", "invert")
)  # fmt: skip
_ABSORBING = frozenset(("add", "sub", "mul", "truediv", "lt", "le", "gt", "ge", "eq", "ne"))
MAX_CONSTANT = 64 * 1024  # bytes of an array that machine code contains


class OperationEmitter(ElementwiseEmitter):
    """Emitter with one method for each op or family of ops."""

    def operation(self, node: Node) -> Any:
        """Emit a node, and return its value."""
        op = node.op
        if op in _OPERATORS:
            return self.elementwise(op, self.numbers([self.value(i) for i in node.inputs], node), node)
        if op.startswith("math."):
            return self.math_function(node)
        if isinstance(node.attrs.get("function"), np.ufunc):
            return self.ufunc(node)
        emit: Callable[[Node], Any] | None = getattr(self, f"emit_{op.replace('.', '_')}", None)
        if emit is None:
            raise UnsupportedError(f"{op} is not compiled")
        return emit(node)

    # --- Numbers ----------------------------------------------------------------------------------

    def emit_constant(self, node: Node) -> Any:
        value = node.attrs["value"]
        if value is Missing.VALUE or value is None:
            return Missing.VALUE
        if (
            isinstance(node.type, (ScalarType, ArrayType))
            and np.ndim(value) == 0
            and not isinstance(value, np.ndarray)
        ):
            kind = kind_of(node.type)
            plain = value.item() if isinstance(value, np.generic) else value
            return self.constant(plain, kind)
        if type(value) is np.ndarray and value.ndim and value.nbytes <= MAX_CONSTANT:
            kind = kind_of(node.type)
            data = np.ascontiguousarray(value).tobytes()
            dims = tuple(map(str, value.shape))
            return Array(kind, self.w.constant_data(data), dims, root="constant")
        raise UnsupportedError("this constant is not compiled")

    def scalar(self, node: Node) -> Scalar:
        value = self.value(node)
        if not isinstance(value, Scalar):
            raise UnsupportedError("an array is used as a number")
        return value

    def emit_not_(self, node: Node) -> Scalar:
        return self.unary("not_", self.scalar(node.inputs[0]), BOOL)

    def emit_either(self, node: Node) -> Scalar:
        first, second = (self.truth(self.scalar(i)) for i in node.inputs)
        return Scalar(self.w.op(f"or i1 {first}, {second}"), BOOL)

    def emit_bool(self, node: Node) -> Scalar:
        return Scalar(self.condition(node.inputs[0]), BOOL)

    def condition(self, node: Node) -> str:
        """Emit whether a value is true."""
        raise NotImplementedError

    def emit_int(self, node: Node) -> Scalar:
        return self.convert(self._one_number(node), INT)

    def emit_float(self, node: Node) -> Scalar:
        return self.convert(self._one_number(node), FLOAT)

    def _one_number(self, node: Node) -> Scalar:
        if len(node.inputs) != 1:
            raise UnsupportedError(f"{node.op} with several arguments is not compiled")
        return self.settle(self.scalar(node.inputs[0]))

    def emit_item(self, node: Node) -> Scalar:
        value = self.settle(self.scalar(node.inputs[0]))
        return self.convert(value, kind_of(node.type))

    def emit_check_bound(self, node: Node) -> Any:
        value = self.value(node.inputs[0])
        if value is Missing.VALUE:
            raise UnsupportedError("a variable is unbound or None")
        if not isinstance(value, Maybe):
            return value
        self.bail_if(self.w.op(f"xor i1 {value.is_bound}, true"))
        return value.value

    emit_some = emit_check_bound

    def emit_is_none(self, node: Node) -> Scalar:
        value = self.value(node.inputs[0])
        if not isinstance(value, Maybe):
            return self.constant(value is Missing.VALUE, BOOL)
        return Scalar(self.w.op(f"xor i1 {value.is_bound}, true"), BOOL)

    def emit_same(self, node: Node) -> Any:
        return self.value(node.inputs[0])

    def emit_convert(self, node: Node) -> Any:
        kind, value = kind_of(node.type), self.value(node.inputs[0])
        if isinstance(value, Scalar):
            return replace(self.convert(self.settle(value), kind), constant=None)
        return self.elementwise("astype", [value], node)

    def emit_numpy_ndarray_astype(self, node: Node) -> Any:
        if len(node.attrs["args"]) != 2 or node.attrs.get("kwargs"):
            raise UnsupportedError("options of astype are not compiled")
        value = self.emit_convert(node)
        return self.materialize(value) if isinstance(value, Expression) else value

    def emit_min(self, node: Node) -> Scalar:
        operands = [self.settle(self.scalar(i)) for i in node.inputs]
        kind = kind_of(node.type)
        if len(operands) < 2 or not isinstance(node.attrs.get("function"), type(min)):
            raise UnsupportedError(f"{node.op} of an iterable is not compiled")
        if any(o.kind != kind for o in operands) and not self._has_any_type(node, operands, kind):
            raise UnsupportedError(f"{node.op} of numbers of several types is not compiled")
        if kind.code in "iu":  # the order makes no difference, but to the time until the result is known
            late = [self.is_late(i) for i in node.inputs]
            operands = [operands[i] for i in sorted(range(len(operands)), key=late.__getitem__)]
        result = operands[0]
        for operand in operands[1:]:
            better = self.compare("lt" if node.op == "min" else "gt", operand, result)
            result = self.choose(better, operand, result, kind)
        return result

    emit_max = emit_min

    def is_late(self, node: Node) -> bool:
        """Return whether a number follows from one that the iteration before has computed."""
        raise NotImplementedError

    def _has_any_type(self, node: Node, operands: list[Scalar], kind: Kind) -> bool:
        """Return whether it makes no difference if a `min` or `max` gives a Python or a NumPy number.

        Python returns the operand itself. Its users turn either into the same NumPy number.
        """
        if any((o.kind.code, o.kind.llvm) != (kind.code, kind.llvm) for o in operands):
            return False
        return self.all_users(node, _absorbs)

    def all_users(self, node: Node, test: Callable[[Node, Node], bool]) -> bool:
        """Return whether a value is used, and each user in its graph passes `test(user, value)`."""
        raise NotImplementedError

    def math_function(self, node: Node) -> Scalar:
        """Emit a function of the module `math`, which calls the C library."""
        name = node.op.removeprefix("math.")
        w = self.w
        operands = [self.settle(v) for v in self.call_operands(node) if isinstance(v, Scalar)]
        if len(operands) != len(node.attrs.get("args", node.inputs)):
            raise UnsupportedError(f"{node.op} with these arguments is not compiled")
        if name == "trunc" and any(o.kind.code == "b" and not o.kind.is_python for o in operands):
            raise UnsupportedError("math.trunc rejects booleans of NumPy")
        operands = [self.settle(self._to_double(o)) for o in operands]
        registers = [("double", o.register) for o in operands]
        if name in ("sqrt", "fabs", "floor", "ceil", "trunc"):
            for _, register in registers:
                self.require_finite(register, "double")
        if name in ("sqrt", "fabs") and len(operands) == 1:
            if name == "sqrt":
                self.bail_if(w.op(f"fcmp olt double {operands[0].register}, 0.0"))
            return Scalar(w.call("double", f"llvm.{name}.f64", *registers), FLOAT)
        if name in ("floor", "ceil", "trunc") and kind_of(node.type) == INT and len(operands) == 1:
            rounded = w.call("double", f"llvm.{name}.f64", *registers)
            return self.convert(Scalar(rounded, FLOAT), INT)
        if name in ("hypot", "fmod", "log", "cbrt") and len(operands) != {"hypot": 2, "fmod": 2}.get(name, 1):
            raise UnsupportedError(f"{node.op} with these arguments is not compiled")
        if name not in LIBM or name in ("hypot", "log", "log2", "log10") or kind_of(node.type) != FLOAT:
            raise UnsupportedError(f"{node.op} is not compiled")
        result = w.external("double", f"autograph_{name}", *registers)
        for register in (*(r for _, r in registers), result):  # later, so that the processor computes on
            self.bail_later_if(self.is_special(register, "double"))
        return Scalar(result, FLOAT)

    def _to_double(self, value: Scalar) -> Scalar:
        return self.convert(value, FLOAT)

    # --- Items ------------------------------------------------------------------------------------

    def array(self, node: Node) -> Array:
        return self.materialize(self.value(node))

    def emit_getitem(self, node: Node) -> Any:
        if node.attrs.get("kwargs"):
            raise UnsupportedError("this item is not compiled")
        array = self.array(node.inputs[0])
        if node in self.carried_items:
            return Scalar(self.w.op(f"load {array.kind.llvm}, ptr {self.carried_items[node]}"), array.kind)
        place = self.view(array, node.attrs["args"][1], node)
        if isinstance(place, str):
            return Scalar(self.w.load(array.kind, place), array.kind)
        return place

    def emit_setitem(self, node: Node) -> Array:
        target = self.writable(node)
        value = self.value(node.inputs[-1])
        if isinstance(value, Expression) or (isinstance(value, Array) and not _are_separate(value, target)):
            value = (
                self.contiguous(self.materialize(value))
                if isinstance(value, Expression)
                else self._copied(value)
            )
        if isinstance(value, Array) and narrows(value.kind, target.kind):
            value = self._copied(value, target.kind)  # a check that fails must find the target as it was
        place = self.view(target, node.attrs["key"], node)
        if isinstance(place, str):
            if not isinstance(value, Scalar):
                raise UnsupportedError("an array is assigned to an element")
            value = self.settle(self.convert(self.settle(value), target.kind))
            self.settle_all()
            self.w.store(target.kind, value.register, place)
            if node in self.written_items:
                self._pass_on(self.written_items[node], self.hidden(value))
        else:
            self.settle_all()
            self._assign(place, value)
        self.wrote()
        return target

    def _pass_on(self, places: list[str], value: Scalar) -> None:
        """Emit what makes an item that has been written the newest of those that later iterations read."""
        w, llvm = self.w, value.kind.llvm
        for newer, older in reversed([*pairwise(places)]):
            w.line(f"store {llvm} {w.op(f'load {llvm}, ptr {newer}')}, ptr {older}")
        w.line(f"store {llvm} {value.register}, ptr {places[0]}")

    def _assign(self, place: Array, value: Any) -> None:
        if isinstance(value, Scalar):
            number = self.settle(self.convert(self.settle(value), place.kind))
            self.each_element(
                place.dims,
                lambda access: self.w.store(place.kind, number.register, self.address_at(place, access)),
                flat=place.strides is None,
            )
            return
        if not isinstance(value, Array) or len(value.dims) > len(place.dims):
            raise UnsupportedError("this assignment is not compiled")
        missing = len(place.dims) - len(value.dims)
        for dim, size in zip(place.dims[missing:], value.dims, strict=True):
            if size not in ("1", dim):
                self.bail_if(self.w.compare("ne", size, dim))
        dims = tuple(
            "1" if size == "1" else dim for dim, size in zip(place.dims[missing:], value.dims, strict=True)
        )
        self.evaluate(replace(value, dims=dims), place)

    def _copied(self, array: Array, kind: Kind | None = None) -> Array:
        copy = self.new_array(kind or array.kind, array.dims)
        self.evaluate(array, copy)
        return copy

    def writable(self, node: Node) -> Array:
        """Return the first input of a node as an array that it may write to."""
        raise NotImplementedError

    def wrote(self) -> None:
        """Note that memory has changed, so that the code before cannot run again."""
        raise NotImplementedError

    def emit_dimension(self, node: Node) -> Scalar:
        value = self.value(node.inputs[0])
        if not isinstance(value, (Array, Expression)):
            raise UnsupportedError("the shape of this value is not compiled")
        dim = value.dims[node.attrs["axis"]]
        return self._size(dim)

    @staticmethod
    def _size(dim: str) -> Scalar:
        if dim.isdigit():
            return Scalar(dim, INT, constant=int(dim), bounds=(int(dim), int(dim)))
        return Scalar(dim, INT, bounds=(0, MAX_DIMENSION))

    def emit_len(self, node: Node) -> Scalar:
        value = self.value(node.inputs[0])
        if isinstance(value, (Array, Expression)):
            return self._size(value.dims[0])
        if isinstance(value, List):
            return Scalar(value.length, INT, bounds=(0, MAX_DIMENSION))
        return Scalar(self.length(value), INT, bounds=(0, 2**62))

    def length(self, iterable: Any) -> str:
        raise NotImplementedError


def _are_separate(value: Array, target: Array) -> bool:
    """Return whether two arrays are known to share no memory."""
    return value.root is not None and target.root is not None and value.root != target.root


def _absorbs(user: Node, value: Node) -> bool:
    """Return whether an operation combines a value with a NumPy number."""
    others = [i for i in user.inputs if i is not value]
    return (
        user.op in _ABSORBING
        and len(others) == 1
        and isinstance(others[0].type, ArrayType)
        and (others[0].op not in ("min", "max"))
    )
