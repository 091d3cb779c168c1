"""Operations other than element-wise ones: items, creation of arrays, reductions, products, conversions."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from ...ir.graph import Missing, Node
from ...ir.types import ArrayType, ScalarType
from .elementwise import ElementwiseEmitter
from .kinds import BOOL, FLOAT, INT, dtype_kind, kind_of
from .memory import MAX_DIMENSION
from .numpy_loops import LIBM, loop_symbol
from .statuses import Unsupported
from .values import Array, Enumerate, Expression, List, Maybe, Range, Reversed, Scalar, Zip

_OPERATORS = frozenset(
    ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "lshift", "rshift", "and_", "or_", "xor", "lt",
     "le", "gt", "ge", "eq", "ne", "neg", "pos", "abs", "invert")
)  # fmt: skip
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
            raise Unsupported(f"{op} is not compiled")
        return emit(node)

    # --- Numbers ----------------------------------------------------------------------------------

    def emit_constant(self, node: Node) -> Any:
        value = node.attrs["value"]
        if value is Missing.VALUE:
            return value
        if (
            isinstance(node.type, (ScalarType, ArrayType))
            and np.ndim(value) == 0
            and not isinstance(value, np.ndarray)
        ):
            kind = kind_of(node.type)
            plain = value.item() if isinstance(value, np.generic) else value
            return self.constant(plain, kind)
        if isinstance(value, np.ndarray) and value.ndim and value.nbytes <= MAX_CONSTANT:
            kind = kind_of(node.type)
            data = np.ascontiguousarray(value).tobytes()
            dims = tuple(map(str, value.shape))
            return Array(kind, self.w.constant_data(data), dims, root="constant")
        raise Unsupported("this constant is not compiled")

    def scalar(self, node: Node) -> Scalar:
        value = self.value(node)
        if not isinstance(value, Scalar):
            raise Unsupported("an array is used as a number")
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
            raise Unsupported(f"{node.op} with several arguments is not compiled")
        return self.settle(self.scalar(node.inputs[0]))

    def emit_item(self, node: Node) -> Scalar:
        value = self.settle(self.scalar(node.inputs[0]))
        return self.convert(value, kind_of(node.type))

    def emit_check_bound(self, node: Node) -> Any:
        value = self.value(node.inputs[0])
        if value is Missing.VALUE:
            raise Unsupported("a variable is unbound")
        if not isinstance(value, Maybe):
            return value
        self.bail_if(self.w.op(f"xor i1 {value.is_bound}, true"))
        return value.value

    def emit_same(self, node: Node) -> Any:
        return self.value(node.inputs[0])

    def emit_convert(self, node: Node) -> Any:
        kind, value = kind_of(node.type), self.value(node.inputs[0])
        if isinstance(value, Scalar):
            return replace(self.convert(self.settle(value), kind), constant=None)
        return self.elementwise("astype", [value], node)

    def emit_numpy_ndarray_astype(self, node: Node) -> Any:
        if len(node.attrs["args"]) != 2 or node.attrs.get("kwargs"):
            raise Unsupported("options of astype are not compiled")
        value = self.emit_convert(node)
        return (
            self.materialize(value) if isinstance(value, Expression) and value.kind == value.kind else value
        )

    def emit_min(self, node: Node) -> Scalar:
        operands = [self.settle(self.scalar(i)) for i in node.inputs]
        kind = kind_of(node.type)
        if len(operands) < 2 or not isinstance(node.attrs.get("function"), type(min)):
            raise Unsupported(f"{node.op} of an iterable is not compiled")
        if any(o.kind != kind for o in operands):
            raise Unsupported(f"{node.op} of numbers of several types is not compiled")
        result = operands[0]
        for operand in operands[1:]:
            better = self.compare("lt" if node.op == "min" else "gt", operand, result)
            result = self.choose(better, operand, result, kind)
        return result

    emit_max = emit_min

    def math_function(self, node: Node) -> Scalar:
        """Emit a function of the module `math`, which calls the C library."""
        name = node.op.removeprefix("math.")
        w = self.w
        operands = [self.settle(v) for v in self.call_operands(node) if isinstance(v, Scalar)]
        if len(operands) != len(node.attrs.get("args", node.inputs)):
            raise Unsupported(f"{node.op} with these arguments is not compiled")
        operands = [self.settle(self._to_double(o)) for o in operands]
        for operand in operands:
            self.require_finite(operand.register, "double")
        registers = [("double", o.register) for o in operands]
        if name in ("sqrt", "fabs") and len(operands) == 1:
            if name == "sqrt":
                self.bail_if(w.op(f"fcmp olt double {operands[0].register}, 0.0"))
            return Scalar(w.call("double", f"llvm.{name}.f64", *registers), FLOAT)
        if name in ("floor", "ceil", "trunc") and kind_of(node.type) == INT and len(operands) == 1:
            rounded = w.call("double", f"llvm.{name}.f64", *registers)
            return self.convert(Scalar(rounded, FLOAT), INT)
        if name in ("hypot", "fmod", "log", "cbrt") and len(operands) != {"hypot": 2, "fmod": 2}.get(name, 1):
            raise Unsupported(f"{node.op} with these arguments is not compiled")
        if name not in LIBM or name in ("hypot", "log", "log2", "log10") or kind_of(node.type) != FLOAT:
            raise Unsupported(f"{node.op} is not compiled")
        result = w.external("double", f"autograph_{name}", *registers)
        self.require_finite(result, "double")
        return Scalar(result, FLOAT)

    def _to_double(self, value: Scalar) -> Scalar:
        return self.convert(value, FLOAT)

    # --- Items ------------------------------------------------------------------------------------

    def array(self, node: Node) -> Array:
        return self.materialize(self.value(node))

    def emit_getitem(self, node: Node) -> Any:
        if node.attrs.get("kwargs"):
            raise Unsupported("this item is not compiled")
        array = self.array(node.inputs[0])
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
        place = self.view(target, node.attrs["key"], node)
        if isinstance(place, str):
            if not isinstance(value, Scalar):
                raise Unsupported("an array is assigned to an element")
            value = self.settle(self.convert(self.settle(value), target.kind))
            self.settle_all()
            self.w.store(target.kind, value.register, place)
        else:
            self.settle_all()
            self._assign(place, value)
        self.wrote()
        return target

    def _assign(self, place: Array, value: Any) -> None:
        if isinstance(value, Scalar):
            number = self.settle(self.convert(self.settle(value), place.kind))
            self.each_element(
                place.dims,
                lambda access: self.w.store(place.kind, number.register, self._place(place, access)),
                flat=place.strides is None,
            )
            return
        if not isinstance(value, Array) or len(value.dims) > len(place.dims):
            raise Unsupported("this assignment is not compiled")
        missing = len(place.dims) - len(value.dims)
        for dim, size in zip(place.dims[missing:], value.dims, strict=True):
            if size != "1" and size != dim:
                self.bail_if(self.w.compare("ne", size, dim))
        dims = tuple(
            "1" if size == "1" else dim for dim, size in zip(place.dims[missing:], value.dims, strict=True)
        )
        self.evaluate(replace(value, dims=dims), place)

    def _place(self, array: Array, access: Any) -> str:
        if access.position is not None:
            return self.w.offset(array.address, self.w.mul(access.position, str(array.kind.size)))
        return self.element_address(array, access.indices)

    def _copied(self, array: Array) -> Array:
        copy = self.new_array(array.kind, array.dims)
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
            raise Unsupported("the shape of this value is not compiled")
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

    # --- Iterables --------------------------------------------------------------------------------

    def emit_range(self, node: Node) -> Range:
        start, stop, step = (self.convert(self.settle(self.scalar(i)), INT) for i in node.inputs)
        return Range(start, stop, step)

    def emit_enumerate(self, node: Node) -> Enumerate:
        return Enumerate(self.value(node.inputs[0]), self.convert(self.scalar(node.inputs[1]), INT))

    def emit_zip(self, node: Node) -> Zip:
        if node.attrs["strict"]:
            raise Unsupported("a strict zip is not compiled")
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
                raise Unsupported("this shape is not compiled")
            if value.constant is not None:
                if value.constant < 0:
                    raise Unsupported("a dimension is negative")
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
            raise Unsupported(f"options of {node.op} are not compiled")
        kind = kind_of(node.type)
        dims = self._shape(args[0], node)
        value: Any = None
        if fill is None:
            value = self.operand(args[1], node)
            if not isinstance(value, Scalar):
                raise Unsupported("a fill value is an array")
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
            raise Unsupported(f"options of {node.op} are not compiled")
        like = self.operand(args[0], node)
        if not isinstance(like, (Array, Expression)):
            raise Unsupported(f"{node.op} of this value is not compiled")
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
            raise Unsupported("options of copy are not compiled")
        value = self.value(node.inputs[0])
        return value if isinstance(value, Scalar) else self._copied(self.materialize(value))

    def emit_numpy_copy(self, node: Node) -> Any:
        if isinstance(self.value(node.inputs[0]), Scalar):
            raise Unsupported("a copy of a number is an array")
        return self.emit_numpy_ndarray_copy(node)

    def emit_numpy_where(self, node: Node) -> Any:
        operands = self.call_operands(node)
        if len(operands) != 3 or not isinstance(node.type, ArrayType) or not node.type.shape:
            raise Unsupported("this form of where is not compiled")
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
            raise Unsupported("this form of arange is not compiled")
        count = self.convert(operands[0], INT)
        self.bail_if(self.w.op(f"icmp ugt i64 {count.register}, {MAX_DIMENSION}"))
        dim = str(count.constant) if count.constant is not None else count.register
        array = self.new_array(kind, (dim,))
        self.counted(
            dim,
            lambda i: self.w.store(kind, i, self.w.offset(array.address, self.w.mul(i, "8"))),
        )
        return array

    # --- Reductions -------------------------------------------------------------------------------

    def _reduced(self, node: Node) -> Array | Expression:
        """Return the operand of a reduction over all axes."""
        operands = [self.operand(a, node) for a in node.attrs["args"]]
        options = {**dict(zip(("axis",), operands[1:], strict=False)), **node.attrs["kwargs"]}
        value = operands[0]
        if isinstance(value, Scalar) or not isinstance(value, (Array, Expression)):
            raise Unsupported(f"{node.op} of this value is not compiled")
        is_all = not options or (
            set(options) == {"axis"}
            and (options["axis"] is None or (len(value.dims) == 1 and options["axis"] in (0, -1)))
        )
        if not is_all or len(operands) > 2:
            raise Unsupported(f"{node.op} along an axis is not compiled")
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
            element = self.element_of(value, value.dims, access)
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
            raise Unsupported("a sum of another dtype is not compiled")
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
            raise Unsupported("a sum of a view with several axes is not compiled")
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
            raise Unsupported("a mean of another dtype is not compiled")
        total = self._pairwise_sum(value)
        count = self.w.op(f"sitofp i64 {self.element_count(value.dims)} to {kind.llvm}")
        return Scalar(self.w.op(f"fdiv {kind.llvm} {total}, {count}"), kind)

    def _extremum(self, node: Node) -> Scalar:
        value, kind = self._reduced(node), kind_of(node.type)
        if kind.code == "b":
            raise Unsupported(f"{node.op} of bools is not compiled")
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
            raise Unsupported(f"{node.op} of this array is not compiled")
        self.bail_if(self.w.compare("eq", array.dims[0], "0"))
        index = self.first_extremum(array, is_min=node.op.endswith("argmin"))
        return Scalar(index, dtype_kind(np.dtype(np.int64)), bounds=(0, MAX_DIMENSION))

    def first_extremum(self, array: Array, *, is_min: bool) -> str:
        """Emit the index of the first smallest or largest element. Bail out if one is NaN."""
        w, kind = self.w, array.kind
        if kind.code == "b":
            raise Unsupported("the extremum of bools is not compiled")
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
        """Emit a product of matrices or vectors by NumPy's own loop."""
        w, kind = self.w, kind_of(node.type)
        a, b = (self.contiguous(self.array(i)) for i in node.inputs)
        if not (1 <= len(a.dims) <= 2 and 1 <= len(b.dims) <= 2) or a.kind != kind or b.kind != kind:
            raise Unsupported("this product of matrices is not compiled")
        symbol = loop_symbol(np.matmul, kind, kind, kind)
        if a.dims[-1] != b.dims[0]:
            self.bail_if(w.compare("ne", a.dims[-1], b.dims[0]))
        rows = a.dims[0] if len(a.dims) == 2 else "1"
        columns = b.dims[1] if len(b.dims) == 2 else "1"
        dims = (*a.dims[:-1], *b.dims[1:])
        result = self.new_array(kind, dims)
        size = str(kind.size)
        a_steps = list(self.strides(a)) if len(a.dims) == 2 else ["0", size]
        b_steps = list(self.strides(b)) if len(b.dims) == 2 else [size, "0"]
        c_steps = list(self.strides(result))
        if len(a.dims) == 1:
            c_steps = ["0", *c_steps]
        if len(b.dims) == 1:
            c_steps = [*c_steps, "0"]
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


def _are_separate(value: Array, target: Array) -> bool:
    """Return whether two arrays are known to share no memory."""
    return value.root is not None and target.root is not None and value.root != target.root


def _starts_negative() -> bool:
    return bool(np.signbit(np.add.reduce(np.array([-0.0]))))


SUM_STARTS_NEGATIVE = _starts_negative()
