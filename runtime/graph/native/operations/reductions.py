"""Reductions over all elements, and products of matrices, in machine code."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ...ir.graph import Node
from ..assembly.kinds import BOOL, dtype_kind, kind_of
from ..assembly.memory import MAX_DIMENSION
from ..assembly.statuses import UnsupportedError
from ..assembly.values import Array, Expression, Scalar
from .creation import CreationEmitter
from .numpy_loops import loop_symbol


class ReductionEmitter(CreationEmitter):
    """Emitter of reductions and products."""

    # --- Reductions -------------------------------------------------------------------------------

    def _reduced(self, node: Node) -> Array | Expression:
        """Return the operand of a reduction over all axes."""
        operands = [self.operand(a, node) for a in node.attrs["args"]]
        options = {**dict(zip(("axis",), operands[1:], strict=False)), **node.attrs["kwargs"]}
        value = operands[0]
        if isinstance(value, Scalar) or not isinstance(value, (Array, Expression)):
            raise UnsupportedError(f"{node.op} of this value is not compiled")
        is_all = not options or (
            set(options) == {"axis"}
            and (options["axis"] is None or (len(value.dims) == 1 and options["axis"] in (0, -1)))
        )
        if not is_all or len(operands) > 2:
            raise UnsupportedError(f"{node.op} along an axis is not compiled")
        return value

    def _accumulate(
        self, value: Array | Expression, start: Scalar, step: Callable[[str, Scalar], str]
    ) -> Scalar:
        """Emit a loop that updates an accumulator for each element, in order."""
        w, kind = self.w, start.kind
        place = w.alloca(kind.llvm)
        w.line(f"store {kind.llvm} {start.register}, ptr {place}")
        arrays = value.arrays if isinstance(value, Expression) else (value,)
        flat = all(a.dims == value.dims and a.strides is None for a in arrays)

        def emit(access: Any) -> None:
            element = self.need(self.element_of(value, value.dims, access))
            before = w.op(f"load {kind.llvm}, ptr {place}")
            w.line(f"store {kind.llvm} {step(before, element)}, ptr {place}")

        may_warn = isinstance(value, Expression) and value.may_warn
        if may_warn:
            self.clear_flags()
        self.each_element(value.dims, emit, flat=flat)
        if may_warn:
            self.test_flags()
        return Scalar(w.op(f"load {kind.llvm}, ptr {place}"), kind)

    def emit_numpy_sum(self, node: Node) -> Scalar:
        value, kind = self._reduced(node), kind_of(node.type)
        if kind.code in "iu":
            return self._accumulate(
                value,
                self.constant(0, kind),
                lambda total, x: self.w.op(f"add {kind.llvm} {total}, {self.convert(x, kind).register}"),
            )
        if value.kind != kind or kind.code != "f":
            raise UnsupportedError("a sum of another dtype is not compiled")
        return self.checked(self._pairwise_sum(value), kind, ())

    def _pairwise_sum(self, value: Array | Expression) -> str:
        """Emit NumPy's own pairwise summation of floats. Bail out where the sum is infinite or NaN."""
        w, kind = self.w, value.kind
        if self.is_fast:
            text = f"fadd{self.float_flags} {kind.llvm}"
            zero = self.constant(0.0, kind)
            return self._accumulate(
                value, zero, lambda total, x: w.op(f"{text} {total}, {x.register}")
            ).register
        array = self.materialize(value)
        if array.strides is not None and len(array.dims) > 1:
            raise UnsupportedError("a sum of a view with several axes is not compiled")
        step = array.strides[0] if array.strides is not None else str(kind.size)
        place = w.alloca(kind.memory)
        w.store(kind, kind.constant(-0.0 if SUM_STARTS_NEGATIVE else 0.0), place)
        symbol = loop_symbol(np.add, kind, kind, kind)
        count = self.element_count(array.dims)
        self.bail_if(w.compare("eq", count, "0"))
        self.call_loop(symbol, [place, array.address, place], [count], ["0", step, "0"], np.add)
        total = w.load(kind, place)
        if not (self.by_flags or self.ignores_errors):
            self.require_finite(total, kind.llvm)
        return total

    def emit_numpy_mean(self, node: Node) -> Scalar:
        value, kind = self._reduced(node), kind_of(node.type)
        if value.kind != kind or kind.code != "f":
            raise UnsupportedError("a mean of another dtype is not compiled")
        total = self._pairwise_sum(value)
        count = self.w.op(f"sitofp i64 {self.element_count(value.dims)} to {kind.llvm}")
        return Scalar(self.w.op(f"fdiv {kind.llvm} {total}, {count}"), kind)

    def _extremum(self, node: Node) -> Scalar:
        value, kind = self._reduced(node), kind_of(node.type)
        if kind.code == "b":
            raise UnsupportedError(f"{node.op} of bools is not compiled")
        self.bail_if(self.w.compare("eq", self.element_count(value.dims), "0"))
        is_min = node.op.rsplit(".", 1)[1] in ("min", "amin")
        if kind.code == "f":
            start = Scalar(kind.constant(math.inf if is_min else -math.inf), kind)
        else:
            start = Scalar(str(kind.range[is_min]), kind)
        llvm = kind.llvm

        def step(best: str, x: Scalar) -> str:
            x = self.convert(x, kind)
            if kind.code == "f":  # a NaN stays, and ends as a bailout
                better = self.w.op(f"fcmp {'ult' if is_min else 'ugt'} {llvm} {x.register}, {best}")
                is_nan = self.w.op(f"fcmp uno {llvm} {best}, {best}")
                better = self.w.op(f"select i1 {is_nan}, i1 false, i1 {better}")
            else:
                sign = "s" if kind.code == "i" else "u"
                better = self.w.op(f"icmp {sign}{'lt' if is_min else 'gt'} {llvm} {x.register}, {best}")
            return self.w.op(f"select i1 {better}, {llvm} {x.register}, {llvm} {best}")

        result = self._accumulate(value, start, step)
        if kind.code == "f":
            self.bail_if(self.w.op(f"fcmp uno {llvm} {result.register}, {result.register}"))
            self._require_one_zero(value, result)
        return result

    def _require_one_zero(self, value: Array | Expression, result: Scalar) -> None:
        """Bail out if an extremum is zero and an element is -0.0: of zeros, NumPy returns any."""
        w, llvm = self.w, result.kind.llvm
        scan, following = w.fresh("scan"), w.fresh("b")
        w.branch(w.op(f"fcmp oeq {llvm} {result.register}, 0.0"), scan, following)
        w.label(scan)
        integer = f"i{result.kind.bits}"
        lowest = -(2 ** (result.kind.bits - 1))

        def step(found: str, x: Scalar) -> str:
            bits = w.op(f"bitcast {llvm} {self.convert(x, result.kind).register} to {integer}")
            return w.op(f"or i1 {found}, {w.op(f'icmp eq {integer} {bits}, {lowest}')}")

        self.bail_if(self._accumulate(value, Scalar("false", BOOL), step).register)
        w.jump(following)
        w.label(following)

    emit_numpy_min = emit_numpy_max = emit_numpy_amin = emit_numpy_amax = _extremum

    def _quantifier(self, node: Node) -> Scalar:
        value = self._reduced(node)
        is_any = node.op.endswith("any")
        start = Scalar("false" if is_any else "true", kind_of(node.type))
        op = "or" if is_any else "and"
        return self._accumulate(value, start, lambda old, x: self.w.op(f"{op} i1 {old}, {self.truth(x)}"))

    emit_numpy_any = emit_numpy_all = _quantifier

    def emit_numpy_count_nonzero(self, node: Node) -> Scalar:
        value, kind = self._reduced(node), kind_of(node.type)

        def step(count: str, x: Scalar) -> str:
            return self.w.op(f"add i64 {count}, {self.w.op(f'zext i1 {self.truth(x)} to i64')}")

        return self._accumulate(value, Scalar("0", kind), step)

    def _arg_extremum(self, node: Node) -> Scalar:
        array = self.materialize(self._reduced(node))
        if len(array.dims) != 1:
            raise UnsupportedError(f"{node.op} of this array is not compiled")
        self.bail_if(self.w.compare("eq", array.dims[0], "0"))
        index = self.first_extremum(array, is_min=node.op.endswith("argmin"))
        return Scalar(index, dtype_kind(np.dtype(np.int64)), bounds=(0, MAX_DIMENSION))

    def first_extremum(self, array: Array, *, is_min: bool) -> str:
        """Emit the index of the first smallest or largest element. Bail out if one is NaN."""
        w, kind = self.w, array.kind
        if kind.code == "b":
            raise UnsupportedError("the extremum of bools is not compiled")
        best_place, index_place = w.alloca(kind.llvm), w.alloca("i64")
        first = self.load_element(array, ("0",)).register
        w.line(f"store {kind.llvm} {first}, ptr {best_place}")
        w.line(f"store i64 0, ptr {index_place}")

        def body(i: str) -> None:
            x = self.load_element(array, (i,)).register
            best = w.op(f"load {kind.llvm}, ptr {best_place}")
            if kind.code == "f":
                self.bail_if(w.op(f"fcmp uno {kind.llvm} {x}, {x}"))
                better = w.op(f"fcmp {'olt' if is_min else 'ogt'} {kind.llvm} {x}, {best}")
            else:
                sign = "s" if kind.code == "i" else "u"
                better = w.op(f"icmp {sign}{'lt' if is_min else 'gt'} {kind.llvm} {x}, {best}")
            index = w.op(f"load i64, ptr {index_place}")
            w.line(f"store i64 {w.op(f'select i1 {better}, i64 {i}, i64 {index}')}, ptr {index_place}")
            new = w.op(f"select i1 {better}, {kind.llvm} {x}, {kind.llvm} {best}")
            w.line(f"store {kind.llvm} {new}, ptr {best_place}")

        self.counted(array.dims[0], body)
        return w.op(f"load i64, ptr {index_place}")

    emit_numpy_argmax = emit_numpy_argmin = _arg_extremum

    # --- Products ---------------------------------------------------------------------------------

    def emit_matmul(self, node: Node) -> Any:
        """Emit a product of matrices or vectors by NumPy's own loop, which chooses from BLAS by strides."""
        w, kind = self.w, kind_of(node.type)
        a, b = (self.array(i) for i in node.inputs)
        if not (1 <= len(a.dims) <= 2 and 1 <= len(b.dims) <= 2) or a.kind != kind or b.kind != kind:
            raise UnsupportedError("this product of matrices is not compiled")
        symbol = loop_symbol(np.matmul, kind, kind, kind)
        if a.dims[-1] != b.dims[0]:
            self.bail_if(w.compare("ne", a.dims[-1], b.dims[0]))
        rows = a.dims[0] if len(a.dims) == 2 else "1"
        columns = b.dims[1] if len(b.dims) == 2 else "1"
        dims = (*a.dims[:-1], *b.dims[1:])
        result = self.new_array(kind, dims)
        a_steps, b_steps, c_steps = map(self._core_strides, (a, b, result))
        if len(a.dims) == 1:
            a_steps, c_steps = ["0", *a_steps], ["0", *c_steps]
        if len(b.dims) == 1:
            b_steps, c_steps = [*b_steps, "0"], [*c_steps, "0"]
        self.clear_flags()
        self.call_loop(
            symbol,
            [a.address, b.address, result.address],
            ["1", rows, a.dims[-1], columns],
            ["0", "0", "0", *a_steps, *b_steps, *c_steps],
            np.matmul,
        )
        self.test_flags()
        return result if dims else self.load_element(result, ())

    def _core_strides(self, array: Array) -> list[str]:
        """Return the strides that NumPy passes to the loop of a product: 0 for an axis of one element."""
        steps = []
        for dim, step in zip(array.dims, self.strides(array), strict=True):
            is_one = self.w.compare("eq", dim, "1")
            steps.append({"true": "0", "false": step}.get(is_one) or self._unless(is_one, step))
        return steps

    def _unless(self, condition: str, step: str) -> str:
        return self.w.op(f"select i1 {condition}, i64 0, i64 {step}")


def _starts_negative() -> bool:
    return bool(np.signbit(np.add.reduce(np.array([-0.0]))))


SUM_STARTS_NEGATIVE = _starts_negative()
