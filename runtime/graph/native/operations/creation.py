"""Iterables and new arrays in machine code."""

from __future__ import annotations

from typing import Any

from ...ir.graph import Node
from ...ir.types import ArrayType
from ..assembly.kinds import INT, kind_of
from ..assembly.memory import MAX_DIMENSION
from ..assembly.statuses import UnsupportedError
from ..assembly.values import Array, Enumerate, Expression, Range, Reversed, Scalar, Zip
from .operations import OperationEmitter


class CreationEmitter(OperationEmitter):
    """Emitter of iterables and of functions that create arrays."""

    # --- Iterables --------------------------------------------------------------------------------

    def emit_range(self, node: Node) -> Range:
        start, stop, step = (self.convert(self.settle(self.scalar(i)), INT) for i in node.inputs)
        return Range(start, stop, step)

    def emit_enumerate(self, node: Node) -> Enumerate:
        return Enumerate(self.value(node.inputs[0]), self.convert(self.scalar(node.inputs[1]), INT))

    def emit_zip(self, node: Node) -> Zip:
        if node.attrs["strict"]:
            raise UnsupportedError("a strict zip is not compiled")
        return Zip(tuple(self.value(i) for i in node.inputs))

    def emit_reversed(self, node: Node) -> Reversed:
        return Reversed(self.value(node.inputs[0]))

    # --- Creation ---------------------------------------------------------------------------------

    def _shape(self, argument: Any, node: Node) -> tuple[str, ...]:
        parts = argument if isinstance(argument, (tuple, list)) else (argument,)
        dims = []
        for part in parts:
            value = self.operand(part, node)
            if not isinstance(value, Scalar) or value.kind.code not in "iu":
                raise UnsupportedError("this shape is not compiled")
            if value.constant is not None:
                if value.constant < 0:
                    raise UnsupportedError("a dimension is negative")
                dims.append(str(value.constant))
                continue
            value = self.convert(value, INT)
            self.bail_if(self.w.op(f"icmp ugt i64 {value.register}, {MAX_DIMENSION}"))
            dims.append(value.register)
        return tuple(dims)

    def _create(self, node: Node, fill: Any) -> Array:
        """Emit the creation of an array from its shape."""
        kwargs = {k: v for k, v in node.attrs["kwargs"].items() if k != "dtype"}
        args = node.attrs["args"]
        if kwargs or len(args) > (3 if fill is None else 2):
            raise UnsupportedError(f"options of {node.op} are not compiled")
        kind = kind_of(node.type)
        dims = self._shape(args[0], node)
        value: Any = None
        if fill is None:
            value = self.operand(args[1], node)
            if not isinstance(value, Scalar):
                raise UnsupportedError("a fill value is an array")
        elif fill:
            value = self.constant(fill, kind)
        array = self.new_array(kind, dims, zeroed=value is None)
        if value is not None:
            self._assign(array, value)
        return array

    def emit_numpy_zeros(self, node: Node) -> Array:
        return self._create(node, 0)

    emit_numpy_empty = emit_numpy_zeros

    def emit_numpy_ones(self, node: Node) -> Array:
        return self._create(node, 1)

    def emit_numpy_full(self, node: Node) -> Array:
        return self._create(node, None)

    def _create_like(self, node: Node, fill: int | None) -> Array:
        args, kwargs = node.attrs["args"], node.attrs["kwargs"]
        if len(args) != (2 if fill is None else 1) or any(k != "dtype" for k in kwargs):
            raise UnsupportedError(f"options of {node.op} are not compiled")
        like = self.operand(args[0], node)
        if not isinstance(like, (Array, Expression)):
            raise UnsupportedError(f"{node.op} of this value is not compiled")
        kind = kind_of(node.type)
        value = self.operand(args[1], node) if fill is None else self.constant(1, kind) if fill else None
        array = self.new_array(kind, like.dims, zeroed=value is None)
        if value is not None:
            self._assign(array, value)
        return array

    def emit_numpy_zeros_like(self, node: Node) -> Array:
        return self._create_like(node, 0)

    emit_numpy_empty_like = emit_numpy_zeros_like

    def emit_numpy_ones_like(self, node: Node) -> Array:
        return self._create_like(node, 1)

    def emit_numpy_full_like(self, node: Node) -> Array:
        return self._create_like(node, None)

    def emit_numpy_ndarray_copy(self, node: Node) -> Any:
        if len(node.attrs["args"]) != 1 or node.attrs.get("kwargs"):
            raise UnsupportedError("options of copy are not compiled")
        value = self.value(node.inputs[0])
        return value if isinstance(value, Scalar) else self._copied(self.materialize(value))

    def emit_numpy_copy(self, node: Node) -> Any:
        if isinstance(self.value(node.inputs[0]), Scalar):
            raise UnsupportedError("a copy of a number is an array")
        return self.emit_numpy_ndarray_copy(node)

    def emit_numpy_where(self, node: Node) -> Any:
        operands = self.call_operands(node)
        if len(operands) != 3 or not isinstance(node.type, ArrayType) or not node.type.shape:
            raise UnsupportedError("this form of where is not compiled")
        return self.elementwise("where", self.numbers(operands, node), node)

    def emit_numpy_arange(self, node: Node) -> Array:
        kind = kind_of(node.type)
        operands = [self.operand(a, node) for a in node.attrs["args"]]
        if (
            kind.llvm != "i64"
            or len(operands) != 1
            or not isinstance(operands[0], Scalar)
            or node.attrs["kwargs"]
        ):
            raise UnsupportedError("this form of arange is not compiled")
        count = self.convert(operands[0], INT)
        self.bail_if(self.w.op(f"icmp ugt i64 {count.register}, {MAX_DIMENSION}"))
        dim = str(count.constant) if count.constant is not None else count.register
        array = self.new_array(kind, (dim,))
        self.counted(
            dim,
            lambda i: self.w.store(kind, i, self.w.offset(array.address, self.w.mul(i, "8"))),
        )
        return array
