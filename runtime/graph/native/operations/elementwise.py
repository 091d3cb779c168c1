"""Element-wise operations on arrays: fused into one loop over the data where their results are used once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ...ir.graph import Node, Slot
from ...rules.ufuncs import OPERATOR_OF
from ..assembly.kinds import BOOL, FLOAT, INT, Kind, dtype_kind, kind_of
from ..assembly.memory import MemoryEmitter
from ..assembly.statuses import INLINE, ROUNDING, UnsupportedError
from ..assembly.values import Access, Array, Expression, Scalar
from .numpy_loops import loop_symbol

_UNARY = frozenset(("neg", "pos", "abs", "invert"))
_COMPARING = frozenset(("lt", "le", "gt", "ge", "eq", "ne"))
_OF_BOOLS = frozenset(("and_", "or_", "xor", "invert", "add", "mul", "minimum", "maximum"))
_BINARY = _COMPARING | {
    "add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "and_", "or_", "xor", "lshift", "rshift",
}  # fmt: skip
Operand = Scalar | Array | Expression


class ElementwiseEmitter(MemoryEmitter):
    """Emitter of element-wise operations, for numbers and arrays alike."""

    def is_fusable(self, node: Node) -> bool:
        """Return whether a node's result is used once, by a node that computes it element by element."""
        raise NotImplementedError

    # --- Operands ---------------------------------------------------------------------------------

    def call_operands(self, node: Node) -> list[Any]:
        """Return the operands of a call that has only positional arguments: values, or plain objects."""
        args = node.attrs.get("args")
        if args is None:
            return [self.value(i) for i in node.inputs]
        if node.attrs.get("kwargs"):
            raise UnsupportedError(f"keyword arguments of {node.op} are not compiled")
        return [self.operand(a, node) for a in args]

    def operand(self, argument: Any, node: Node) -> Any:
        if isinstance(argument, Slot):
            return self.value(node.inputs[argument.index])
        if isinstance(argument, np.generic) and argument.dtype.kind in "biuf":
            kind = dtype_kind(argument.dtype)
            return Scalar(kind.constant(argument.item()), kind, constant=argument.item())
        if type(argument) in (bool, int, float):
            return self.constant(argument, {bool: BOOL, int: INT, float: FLOAT}[type(argument)])
        return argument

    def value(self, node: Node) -> Any:
        raise NotImplementedError

    def numbers(self, operands: Sequence[Any], node: Node) -> list[Operand]:
        for operand in operands:
            if not isinstance(operand, (Scalar, Array, Expression)):
                raise UnsupportedError(f"an argument of {node.op} is neither a number nor an array")
        return list(operands)

    # --- Operations -------------------------------------------------------------------------------

    def elementwise(self, op: str, operands: list[Operand], node: Node) -> Operand:
        """Emit an operation on numbers, or return an expression for arrays."""
        kind = kind_of(node.type)
        if all(isinstance(o, Scalar) for o in operands):
            if op == "pow" and kind.code == "f" and _is_power_of_arrays(*operands):  # type: ignore[arg-type]
                return self.numpy_function(np.power, operands, node)
            return self.apply(op, operands, kind)  # type: ignore[arg-type]
        operand_kind = self._operand_kind(op, operands, kind)
        if op == "pow":
            op, operands, operand_kind = self._array_power(operands, kind)
        converted = [
            self._hoisted(o, k) for o, k in zip(operands, _kinds(operand_kind, len(operands)), strict=True)
        ]

        def compute(parts: list[Scalar]) -> Scalar:
            return self.apply(op, parts, kind)

        has_flags = op in ("floordiv", "mod") or any(
            k.code == "f" for k in (kind, *(o.kind for o in operands))
        )
        may_warn = narrows(converted[0].kind, kind) if op == "astype" else has_flags and op not in _QUIET
        return self.expression(converted, kind, compute, may_warn=may_warn)

    def _operand_kind(self, op: str, operands: list[Operand], kind: Kind) -> Kind | list[Kind] | None:
        if op == "where":
            return [BOOL, kind, kind]
        if op in _COMPARING:
            parts = [Scalar("", o.kind) for o in operands]
            return self.comparison_kind(*parts)
        if op.startswith("logical_") or op == "astype":
            return None
        if kind.code == "b" and op not in _OF_BOOLS:
            return None
        return kind

    def _array_power(self, operands: list[Operand], kind: Kind) -> tuple[str, list[Operand], Kind]:
        base, exponent = operands
        constant = exponent.constant if isinstance(exponent, Scalar) else None
        if constant == 2 and kind.code in "iuf":
            return "square", [base], kind
        if kind.code in "iu" and type(constant) is int:
            return "pow", operands, None  # type: ignore[return-value]
        raise UnsupportedError("a power of an array is compiled only for the exponent 2")

    def _hoisted(self, operand: Operand, kind: Kind | None) -> Operand:
        """Convert a number before the loop over the elements."""
        if isinstance(operand, Scalar):
            operand = self.settle(operand)
            return operand if kind is None else self.settle(self.convert(operand, kind))
        if kind is None or operand.kind == kind:
            return operand
        may_warn = narrows(operand.kind, kind)
        return self.expression([operand], kind, lambda parts: self.convert(parts[0], kind), may_warn=may_warn)

    def apply(self, op: str, parts: list[Scalar], kind: Kind) -> Scalar:
        """Emit an operation on numbers."""
        if op == "where":
            condition, a, b = parts
            return self.choose(self.truth(condition), a, b, kind)
        if op in _UNARY:
            return self.unary(op, parts[0], kind)
        if op in _BINARY:
            return self.binary(op, parts[0], parts[1], kind)
        if op == "astype":
            return self.convert(parts[0], kind)
        return self._function(op, parts, kind)

    def _function(self, op: str, parts: list[Scalar], kind: Kind) -> Scalar:
        w, a = self.w, parts[0]
        if op == "logical_not":
            return Scalar(w.op(f"xor i1 {self.truth(a)}, true"), kind)
        if op.startswith("logical_"):
            a_true, b_true = map(self.truth, parts)
            return Scalar(w.op(f"{op.removeprefix('logical_')} i1 {a_true}, {b_true}"), kind)
        if op in ("isnan", "isinf", "isfinite"):
            return self._classify(op, self.need(self.settle(a)), kind)
        a = self.convert(a, kind)
        if op == "square":
            return self.binary("mul", a, a, kind)
        if op in ("minimum", "maximum"):
            comparison = "lt" if op == "minimum" else "gt"
            b = self.convert(parts[1], kind)
            return self.choose(self.compare(comparison, a, b), a, b, kind)
        if kind.code != "f":
            raise UnsupportedError(f"{op} of integers is not compiled")
        suffix = "f64" if kind.llvm == "double" else "f32"
        if op != "sqrt":
            a = self.settle(a)
        register = w.call(kind.llvm, f"llvm.{ROUNDING[op]}.{suffix}", (kind.llvm, a.register))
        if op == "sqrt":
            return self.checked(register, kind, (a,))
        return Scalar(register, kind, may_raise=a.may_raise)

    def _classify(self, op: str, a: Scalar, kind: Kind) -> Scalar:
        w, llvm = self.w, a.kind.llvm
        if a.kind.code != "f":
            return self.constant(op == "isfinite", kind)
        if op == "isnan":
            return Scalar(w.op(f"fcmp uno {llvm} {a.register}, {a.register}"), kind)
        suffix = "f64" if llvm == "double" else "f32"
        size = w.call(llvm, f"llvm.fabs.{suffix}", (llvm, a.register))
        predicate = "oeq" if op == "isinf" else "one"
        return Scalar(w.op(f"fcmp {predicate} {llvm} {size}, {a.kind.constant(float('inf'))}"), kind)

    # --- Loops over elements ----------------------------------------------------------------------

    def expression(
        self,
        operands: Sequence[Operand],
        kind: Kind,
        compute: Callable[[list[Scalar]], Scalar],
        *,
        may_warn: bool,
    ) -> Expression:
        """Return the expression that applies `compute` to each element of the broadcast operands."""
        dims = self.broadcast([o.dims for o in operands if not isinstance(o, Scalar)])
        ignores = self.ignores_errors

        def element(access: Access) -> Scalar:
            parts = [o if isinstance(o, Scalar) else self.element_of(o, dims, access) for o in operands]
            before, self.ignores_errors = self.ignores_errors, ignores
            result = compute(parts)
            self.ignores_errors = before
            return result

        arrays: list[Array] = []
        for o in operands:
            arrays += [o] if isinstance(o, Array) else o.arrays if isinstance(o, Expression) else []
        inner = any(isinstance(o, Expression) and o.may_warn for o in operands)
        return Expression(kind, dims, element, tuple(arrays), inner or (may_warn and not ignores))

    def element_of(self, operand: Array | Expression, dims: tuple[str, ...], access: Access) -> Scalar:
        """Emit the element of an operand that is broadcast to `dims`."""
        if operand.dims != dims:
            indices = access.indices[len(dims) - len(operand.dims) :]
            indices = tuple("0" if d == "1" else i for i, d in zip(indices, operand.dims, strict=True))
            access = Access(indices)
        if isinstance(operand, Expression):
            return operand.element(access)
        return Scalar(self.w.load(operand.kind, self.address_at(operand, access)), operand.kind)

    def broadcast(self, shapes: Sequence[tuple[str, ...]]) -> tuple[str, ...]:
        """Return the common shape. Bail out where dimensions differ that may be equal."""
        rank = max(map(len, shapes))
        padded = [("1",) * (rank - len(s)) + s for s in shapes]
        dims = []
        for sizes in zip(*padded, strict=True):
            known = [s for s in sizes if s != "1"]
            literal = [s for s in known if s.isdigit()]
            dim = (literal or known or ["1"])[0]
            for size in known:
                if size != dim:
                    self.bail_if(self.w.compare("ne", size, dim))
            dims.append(dim)
        return tuple(dims)

    def each_element(self, dims: tuple[str, ...], emit: Callable[[Access], None], *, flat: bool) -> None:
        """Emit a loop nest that runs `emit` for each element."""
        was_in_array, self.in_array = self.in_array, True

        def whole(access: Access) -> None:
            emit(access)
            self.end_element()

        if flat:
            self.counted(self.element_count(dims), lambda i: whole(Access((i,) if len(dims) == 1 else (), i)))
        else:
            self._nest(dims, (), whole)
        self.in_array = was_in_array

    def _nest(self, dims: tuple[str, ...], indices: tuple[str, ...], emit: Callable[[Access], None]) -> None:
        if not dims:
            emit(Access(indices))
        else:
            self.counted(dims[0], lambda i: self._nest(dims[1:], (*indices, i), emit))

    def counted(self, count: str, body: Callable[[str], None]) -> None:
        """Emit a loop that runs `body` for each index below `count`."""
        w = self.w
        counter = w.alloca("i64")
        head, inside, end = w.fresh("head"), w.fresh("body"), w.fresh("end")
        w.line(f"store i64 0, ptr {counter}")
        w.jump(head)
        w.label(head)
        index = w.op(f"load i64, ptr {counter}")
        w.branch(w.op(f"icmp slt i64 {index}, {count}"), inside, end)
        w.label(inside)
        body(index)
        w.line(f"store i64 {w.op(f'add nuw nsw i64 {index}, 1')}, ptr {counter}")
        w.jump(head)
        w.label(end)

    def evaluate(self, source: Array | Expression, target: Array) -> None:
        """Emit the elements of a value, broadcast to the target's shape and converted, into the target."""
        self.evaluate_all([(source, target)])

    def evaluate_all(self, pairs: Sequence[tuple[Array | Expression, Array]]) -> None:
        """Emit the elements of values into targets of one shape, in one loop."""
        w, dims = self.w, pairs[0][1].dims

        def is_flat(source: Array | Expression, target: Array) -> bool:
            arrays = source.arrays if isinstance(source, Expression) else (source,)
            return source.dims == dims and all(
                a.dims == dims and a.strides is None for a in (target, *arrays)
            )

        def may_warn(source: Array | Expression, target: Array) -> bool:
            converts_float = source.kind.code == "f" and source.kind != target.kind
            return converts_float or (isinstance(source, Expression) and source.may_warn)

        def emit(access: Access) -> None:
            for source, target in pairs:
                value = self.convert(self.element_of(source, dims, access), target.kind)
                w.store(target.kind, value.register, self.address_at(target, access))

        warns = any(may_warn(*pair) for pair in pairs)
        if warns:
            self.clear_flags()
        self.each_element(dims, emit, flat=all(is_flat(*pair) for pair in pairs))
        if warns:
            self.test_flags()

    def materialize(self, value: Any) -> Array:
        """Return a value as an array in memory."""
        if isinstance(value, Array):
            return value
        if not isinstance(value, Expression):
            raise UnsupportedError("an array is expected")
        array = self.new_array(value.kind, value.dims)
        self.evaluate(value, array)
        return array

    def contiguous(self, array: Array) -> Array:
        if array.strides is None:
            return array
        copy = self.new_array(array.kind, array.dims)
        self.evaluate(array, copy)
        return copy

    # --- NumPy's own loops ------------------------------------------------------------------------

    def numpy_function(self, ufunc: np.ufunc, operands: list[Operand], node: Node) -> Operand:
        """Emit a ufunc by a call of NumPy's loop."""
        kind = kind_of(node.type)
        kinds = [kind] * len(operands)
        symbol = loop_symbol(ufunc, *kinds, kind)
        if all(isinstance(o, Scalar) for o in operands):
            return self._scalar_call(symbol, operands, kind, ufunc)  # type: ignore[arg-type]
        dims = self.broadcast([o.dims for o in operands if not isinstance(o, Scalar)])
        addresses, steps = [], []
        for operand in operands:
            operand = self._hoisted(operand, kind)
            if isinstance(operand, Scalar):
                address, step = self._spill(operand), "0"
            else:
                array = self.contiguous(self.materialize(operand))
                if array.dims != dims:
                    raise UnsupportedError(f"{ufunc.__name__} of arrays of several shapes is not compiled")
                address, step = array.address, str(kind.size)
            addresses.append(address)
            steps.append(step)
        result = self.new_array(kind, dims)
        self.clear_flags()
        self.call_loop(
            symbol, [*addresses, result.address], [self.element_count(dims)], [*steps, str(kind.size)], ufunc
        )
        self.test_flags()
        return result

    def _spill(self, value: Scalar) -> str:
        place = self.w.alloca(value.kind.memory)
        self.w.store(value.kind, value.register, place)
        return place

    def _scalar_call(self, symbol: str, operands: list[Scalar], kind: Kind, ufunc: np.ufunc) -> Scalar:
        places = [self._spill(o) for o in self.settled(*(self.convert(o, kind) for o in operands))]
        result = self.w.alloca(kind.memory)
        self.call_loop(symbol, [*places, result], ["1"], ["0"] * len(places) + [str(kind.size)], ufunc)
        register = self.w.load(kind, result)
        if not (self.by_flags or self.ignores_errors):
            self.require_finite(register, kind.llvm)
        return Scalar(register, kind)

    def call_loop(
        self, symbol: str, addresses: list[str], dims: list[str], steps: list[str], ufunc: np.ufunc
    ) -> None:
        """Emit the call of a loop of a ufunc, with the arguments that NumPy's C interface defines."""
        w = self.w
        self.keep_flags()  # some of the loops clear them
        places = {"ptr": w.alloca("ptr", len(addresses))}
        sizes, strides = w.alloca("i64", len(dims)), w.alloca("i64", len(steps))
        for llvm, place, values in (
            ("ptr", places["ptr"], addresses), ("i64", sizes, dims), ("i64", strides, steps)
        ):  # fmt: skip
            for i, value in enumerate(values):
                w.line(f"store {llvm} {value}, ptr {w.offset(place, str(8 * i))}")
        data = w.external_data(f"{symbol}_data")
        w.external("void", symbol, ("ptr", places["ptr"]), ("ptr", sizes), ("ptr", strides), ("ptr", data))

    def ufunc(self, node: Node) -> Operand:
        """Emit a node that calls a ufunc."""
        function = node.attrs["function"]
        operands = self.numbers(self.call_operands(node), node)
        name = function.__name__
        is_power = function is np.power and kind_of(node.type).code == "f"  # rounds otherwise than `**`
        if function in OPERATOR_OF and not is_power:
            return self.elementwise(OPERATOR_OF[function], operands, node)
        is_extremum = name in ("minimum", "maximum") and kind_of(node.type).code != "f"
        if is_extremum or name in INLINE:
            return self.elementwise(name, operands, node)
        return self.numpy_function(function, operands, node)


def narrows(source: Kind, kind: Kind) -> bool:
    """Return whether a conversion may warn: of floats to integers or to shorter floats."""
    return source.code == "f" and kind.code != "b" and (kind.code != "f" or kind.bits < source.bits)


_QUIET = _COMPARING | {
    "neg", "pos", "abs", "where", "isnan", "isinf", "isfinite", "logical_not", "logical_and",
    "logical_or", "logical_xor", "floor", "ceil", "trunc", "rint",
}  # fmt: skip


def _kinds(kind: Kind | list[Kind] | None, count: int) -> Sequence[Kind | None]:
    return kind if isinstance(kind, list) else [kind] * count


def _is_power_of_arrays(base: Scalar, exponent: Scalar) -> bool:
    """Return whether NumPy computes the power of numbers as that of arrays, whose last bits may differ."""
    kinds = sorted((base.kind, exponent.kind), key=lambda kind: kind.is_python)
    return not kinds[0].is_python and kinds[0].code in "iub" and kinds[1].is_python and kinds[1].code == "f"
