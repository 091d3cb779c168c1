"""Reductions along one axis, with the order of additions that NumPy has."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ...ir.graph import Node
from ..assembly.kinds import Kind, kind_of
from ..assembly.statuses import UnsupportedError
from ..assembly.values import Access, Array, Expression, Scalar
from .indexing import IndexingEmitter
from .numpy_loops import loop_symbol
from .reductions import SUM_STARTS_NEGATIVE


class AxisReductionEmitter(IndexingEmitter):
    """Emitter of reductions along an axis."""

    def reduced_axis(self, node: Node) -> tuple[Array | Expression, int] | None:
        """Return the operand and the axis of a reduction along one of several axes, or None for others."""
        operands = [self.operand(a, node) for a in node.attrs["args"]]
        options = {**dict(zip(("axis",), operands[1:], strict=False)), **node.attrs["kwargs"]}
        value, axis = operands[0], options.get("axis")
        if isinstance(axis, Scalar):
            axis = axis.constant
        if not isinstance(value, (Array, Expression)) or type(axis) is not int or len(value.dims) < 2:
            return None
        if set(options) != {"axis"} or len(operands) > 2:
            raise UnsupportedError(f"options of {node.op} are not compiled")
        return value, axis % len(value.dims)

    def _along(self, node: Node, emit: Callable[[Array | Expression, int, Kind], Array]) -> Any:
        found = self.reduced_axis(node)
        return None if found is None else emit(*found, kind_of(node.type))

    def emit_numpy_sum(self, node: Node) -> Any:
        result = self._along(node, self._axis_sum)
        return super().emit_numpy_sum(node) if result is None else result

    def emit_numpy_mean(self, node: Node) -> Any:
        found = self.reduced_axis(node)
        if found is None:
            return super().emit_numpy_mean(node)
        value, axis = found
        kind = kind_of(node.type)
        if value.kind != kind:
            raise UnsupportedError("a mean of another dtype is not compiled")
        total = self._axis_sum(value, axis, kind)
        count = Scalar(self.w.op(f"sitofp i64 {value.dims[axis]} to {kind.llvm}"), kind)

        def emit(access: Access) -> None:
            place = self.address_at(total, access)
            old = Scalar(self.w.load(kind, place), kind)
            self.w.store(kind, self.binary("truediv", old, count, kind).register, place)

        self.each_element(total.dims, emit, flat=True)
        return total

    def _axis_sum(self, value: Array | Expression, axis: int, kind: Kind) -> Array:
        if kind.code == "f" and value.kind != kind:
            raise UnsupportedError("a sum of another dtype is not compiled")
        start = "0"
        if kind.code == "f":
            start = kind.constant(-0.0 if SUM_STARTS_NEGATIVE else 0.0)
            self.bail_if(self.w.compare("eq", value.dims[axis], "0"))
            if axis == len(value.dims) - 1:
                return self._row_sums(value, kind, start)
            # NumPy sums the last axis of more than one element; then the order is pairwise.
            self.bail_if(self.w.compare("eq", self.element_count(value.dims[axis + 1 :]), "1"))
        self.clear_flags()
        result = self._fold(
            value, axis, kind, Scalar(start, kind),
            lambda total, x: self.binary("add", total, self.convert(x, kind), kind).register,
        )  # fmt: skip
        self.test_flags()
        return result

    def _row_sums(self, value: Array | Expression, kind: Kind, start: str) -> Array:
        """Emit the pairwise sums of the rows by NumPy's own loop."""
        w = self.w
        array = self.contiguous(self.materialize(value))
        count, dims = array.dims[-1], array.dims[:-1]
        result = self.new_array(kind, dims)
        symbol = loop_symbol(np.add, kind, kind, kind)
        row = w.mul(count, str(kind.size))
        self.clear_flags()

        def body(i: str) -> None:
            place = w.element(kind, result.address, i)
            source = w.offset(array.address, w.mul(i, row))
            w.store(kind, start, place)
            if count.isdigit() and int(count) < 8:  # then NumPy's order is that of the elements
                self._short_sum(kind, place, source, int(count))
            else:
                self.call_loop(symbol, [place, source, place], [count], ["0", str(kind.size), "0"], np.add)

        self.counted(self.element_count(dims), body)
        self.test_flags()
        return result

    def _short_sum(self, kind: Kind, place: str, source: str, count: int) -> None:
        w = self.w
        total = kind.constant(-0.0)
        for i in range(count):
            x = w.load(kind, w.offset(source, str(i * kind.size)))
            total = w.op(f"fadd {kind.llvm} {total}, {x}")
        w.store(kind, w.op(f"fadd {kind.llvm} {w.load(kind, place)}, {total}"), place)

    def _fold(
        self,
        value: Array | Expression,
        axis: int,
        kind: Kind,
        start: Scalar,
        step: Callable[[Scalar, Scalar], str],
    ) -> Array:
        """Emit an array of accumulators, each updated by the elements along an axis in order."""
        w = self.w
        before, after = value.dims[:axis], value.dims[axis + 1 :]
        result = self.new_array(kind, (*before, *after))
        self._assign(result, start)

        def emit(access: Access) -> None:
            indices = access.indices
            kept = (*indices[:axis], *indices[axis + 1 :])
            place = self.element_address(result, kept)
            total = Scalar(w.load(kind, place), kind)
            element = self.element_of(value, value.dims, access)
            w.store(kind, step(total, element), place)

        self.each_element(value.dims, emit, flat=False)
        return result

    def _axis_quantifier(self, node: Node) -> Any:
        found = self.reduced_axis(node)
        if found is None:
            return super()._quantifier(node)
        is_any, kind = node.op.endswith("any"), kind_of(node.type)
        start = Scalar("false" if is_any else "true", kind)
        op = "or" if is_any else "and"
        return self._fold(
            *found, kind, start, lambda old, x: self.w.op(f"{op} i1 {old.register}, {self.truth(x)}")
        )

    emit_numpy_any = emit_numpy_all = _axis_quantifier

    def _axis_arg_extremum(self, node: Node) -> Any:
        found = self.reduced_axis(node)
        if found is None:
            return super()._arg_extremum(node)
        value, axis = found
        array = self.contiguous(self.materialize(value))
        if axis != len(array.dims) - 1:
            raise UnsupportedError(f"{node.op} along this axis is not compiled")
        w, kind = self.w, kind_of(node.type)
        self.bail_if(w.compare("eq", array.dims[-1], "0"))
        result = self.new_array(kind, array.dims[:-1])
        row = w.mul(array.dims[-1], str(array.kind.size))

        def body(i: str) -> None:
            source = Array(array.kind, w.offset(array.address, w.mul(i, row)), array.dims[-1:])
            best = self.first_extremum(source, is_min=node.op.endswith("argmin"))
            w.store(kind, best, w.element(kind, result.address, i))

        self.counted(self.element_count(array.dims[:-1]), body)
        return result

    emit_numpy_argmin = emit_numpy_argmax = _axis_arg_extremum
