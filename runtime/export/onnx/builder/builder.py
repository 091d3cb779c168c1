"""Build ONNX graphs operator by operator, from values with a dtype and rank.

A *check* makes a run fail where the Python program would raise. It is an operator that is named after the
message, and whose inputs are incompatible if the program would raise. Its output, the *token*, is threaded
through all checks in order and into an output of the model, so that no optimization removes a check.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partialmethod
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper

from ....graph.ir.graph import Node
from . import unsupported
from .kernels import compute_dtype

INT = np.dtype(np.int64)
BOOL = np.dtype(bool)
FLOAT = np.dtype(np.float64)


@dataclass(frozen=True, slots=True, eq=False)
class Value:
    """A tensor of an ONNX graph, or a sequence of tensors of one dtype and rank.

    A `weak` value is a Python number, which adopts the dtype of an array operand. `constant` is the
    value, if it is known before the run.
    """

    name: str
    dtype: np.dtype
    ndim: int
    weak: bool = False
    constant: np.ndarray | None = None
    is_sequence: bool = False


class Model:
    """State shared by all graphs of a model: names and constants.

    `origins` maps the name of each operator to its node and, for a check, the message.
    """

    def __init__(self) -> None:
        self.names: set[str] = set()
        self.used: Counter[str] = Counter()
        self.constants: dict[Any, Value] = {}
        self.initializers: list[TensorProto] = []
        self.origins: dict[str, tuple[Node, str]] = {}

    def fresh(self, stem: str) -> str:
        """Return an unused name that begins with `stem`."""
        name, count = stem, 0
        while not name or name in self.names:
            count += 1
            name = f"{stem}_{count}"
        self.names.add(name)
        return name

    def constant(self, array: np.ndarray, *, weak: bool) -> Value:
        key = (array.dtype.str, array.shape, weak, array.tobytes())
        if key not in self.constants:
            name = self.fresh("constant")
            array_of_objects = array.astype(object) if array.dtype.kind == "U" else array
            self.initializers.append(onnx.numpy_helper.from_array(array_of_objects, name))
            dtype = np.dtype("U") if array.dtype.kind == "U" else array.dtype
            self.constants[key] = Value(name, dtype, array.ndim, weak, array)
        return self.constants[key]


def element_type(dtype: np.dtype) -> int:
    if dtype.kind == "U":
        return int(TensorProto.STRING)
    return int(helper.np_dtype_to_tensor_dtype(dtype))


def value_info(value: Value, name: str, dims: Sequence[int | str | None] | None = None) -> Any:
    """Return the declaration of an input or output of a graph."""
    shape = [None] * value.ndim if dims is None else list(dims)
    if value.is_sequence:
        return helper.make_tensor_sequence_value_info(name, element_type(value.dtype), shape)
    return helper.make_tensor_value_info(name, element_type(value.dtype), shape)


class Builder:
    """Builds the graph of a model, branch or loop body.

    `alive` is true whenever this graph runs, but optimizers cannot know that. It is None for the main
    graph of an exported model. `token` is the output of the last check.
    """

    def __init__(
        self,
        model: Model,
        parent: Builder | None = None,
        alive: Value | None = None,
        token: Value | None = None,
    ):
        self.model, self.parent, self.alive = model, parent, alive
        self.nodes: list[Any] = []
        self.current_node: Node = Node("graph", (), {}, None) if parent is None else parent.current_node
        self.token = self.ints(0) if token is None else token

    # Nodes

    def node(
        self,
        kind: str,
        inputs: Sequence[Value | None],
        dtype: np.dtype,
        ndim: int,
        name: str = "",
        **attrs: Any,
    ) -> Value:
        """Add an operator with one result."""
        result = Value(self.model.fresh(kind.lower()), np.dtype(dtype), ndim)
        self.emit(kind, inputs, [result.name], name, **attrs)
        return result

    def sequence(
        self, kind: str, inputs: Sequence[Value | None], dtype: np.dtype, ndim: int, **attrs: Any
    ) -> Value:
        """Add an operator whose result is a sequence of tensors."""
        result = Value(self.model.fresh(kind.lower()), dtype, ndim, is_sequence=True)
        self.emit(kind, inputs, [result.name], **attrs)
        return result

    def empty_sequence(self, dtype: np.dtype, ndim: int) -> Value:
        """Add an empty sequence of tensors."""
        result = Value(self.model.fresh("sequence"), dtype, ndim, is_sequence=True)
        self.emit("SequenceEmpty", [], [result.name], dtype=element_type(dtype))
        return result

    def emit(
        self, kind: str, inputs: Sequence[Value | None], outputs: Sequence[str], name: str = "", **attrs: Any
    ) -> None:
        names = ["" if i is None else i.name for i in inputs]
        self.model.used.update(names)
        label = self.model.fresh(f"{name or f'{self.current_node.op}/{kind}'}{self.source_location()}")
        self.model.origins[label] = (self.current_node, name)
        self.nodes.append(helper.make_node(kind, names, list(outputs), name=label, **attrs))

    def source_location(self) -> str:
        """Return the user's file and line, which become part of operator names and so of run-time errors."""
        return "".join(
            f" ({os.path.basename(place.file)}:{place.line})" for place in self.current_node.places[-1:]
        )

    def op(
        self,
        kind: str,
        *operands: Value,
        dtype: Any = None,
        ndim: int | None = None,
        rest: Sequence[Value | None] = (),
        first: Sequence[Value] = (),
        **attrs: Any,
    ) -> Value:
        """Add an operator whose operands share a dtype, computed in a dtype that onnxruntime supports.

        By default, the result has their dtype and highest rank; `dtype` and `ndim` override these. Inputs of
        other dtypes precede the operands in `first` or follow them in `rest`.
        """
        given = operands[0].dtype
        used = compute_dtype(kind, given)
        if used is None or given.kind == "c":
            raise unsupported.unsupported_dtype(self.current_node, given, kind)
        rank = max(v.ndim for v in (*operands, *first)) if ndim is None else ndim
        inputs = [*first, *(self.cast(v, used) for v in operands), *rest]
        result = self.node(kind, inputs, used if dtype is None else dtype, rank, **attrs)
        return self.cast(result, given) if dtype is None else result

    # Constants

    def constant(self, value: Any, dtype: Any = None) -> Value:
        """Add a constant. A Python number is weak."""
        weak = dtype is None and type(value) in (bool, int, float, str)
        if type(value) is int and dtype is None:
            if not -(2**63) <= value < 2**63:
                raise unsupported.unsupported_node(
                    self.current_node,
                    "ONNX integers have at most 64 bits",
                    "use a smaller number",
                    f"the integer {value}",
                )
            dtype = INT
        return self.model.constant(np.asarray(value, dtype), weak=weak)

    def ints(self, *values: int) -> Value:
        """Return a constant vector of integers."""
        return self.model.constant(np.array(values, INT), weak=False)

    def constant_like(self, value: float, x: Value) -> Value:
        """Return a constant with the dtype of another value."""
        return self.constant(value, x.dtype)

    def value(self, given: Any) -> Value:
        """Return a `Value` unchanged, and a number or array as a constant."""
        return given if isinstance(given, Value) else self.constant(given)

    # Dtypes

    def cast(self, x: Value, dtype: Any) -> Value:
        dtype = np.dtype(dtype)
        if x.dtype == dtype or (x.dtype.kind == dtype.kind == "U"):
            return x
        if dtype.kind not in "biufU" or x.dtype.kind not in "biufU":
            raise unsupported.unsupported_dtype(
                self.current_node, dtype if dtype.kind not in "biufU" else x.dtype, "arrays"
            )
        if x.constant is not None and dtype.kind != "U" and x.dtype.kind != "U":
            with np.errstate(all="ignore"):
                return self.model.constant(x.constant.astype(dtype), weak=False)
        return self.node("Cast", [x], dtype, x.ndim, to=element_type(dtype))

    def promote(self, *values: Value) -> list[Value]:
        """Cast values to their common dtype by NumPy's promotion."""
        dtype = self.promoted_dtype(*values)
        return [self.cast(v, dtype) for v in values]

    def promoted_dtype(self, *values: Value) -> np.dtype:
        samples = [v.dtype.type(1).item() if v.weak and v.dtype.kind != "U" else v.dtype for v in values]
        if all(type(s) in (bool, int, float) for s in samples):
            return np.result_type(*[v.dtype for v in values])
        return np.result_type(*samples)

    # Arithmetic

    def binary(self, kind: str, x: Any, y: Any) -> Value:
        """Apply a broadcasting operator."""
        compares = kind in ("Equal", "Less", "LessOrEqual", "Greater", "GreaterOrEqual")
        return self.op(kind, *self._operands(x, y), dtype=BOOL if compares else None)

    def _operands(self, x: Any, y: Any) -> tuple[Value, Value]:
        """Return both operands as values. A plain number adopts the dtype of the other."""
        x = x if isinstance(x, Value) else self.constant_like(x, y)
        return x, y if isinstance(y, Value) else self.constant_like(y, x)

    add, sub = partialmethod(binary, "Add"), partialmethod(binary, "Sub")
    mul, div = partialmethod(binary, "Mul"), partialmethod(binary, "Div")
    equal, less = partialmethod(binary, "Equal"), partialmethod(binary, "Less")
    logical_and, logical_or = partialmethod(op, "And"), partialmethod(op, "Or")
    logical_not = partialmethod(op, "Not")

    def where(self, test: Value, x: Any, y: Any) -> Value:
        """Select `x` where `test` is true, else `y`."""
        return self.op("Where", *self._operands(x, y), first=[test])

    def is_nan(self, x: Value) -> Value:
        return self.op("IsNaN", x, dtype=BOOL)

    def is_inf(self, x: Value, **attrs: Any) -> Value:
        return self.op("IsInf", x, dtype=BOOL, **attrs)

    # Shapes

    def shape(self, x: Value) -> Value:
        return self.node("Shape", [x], INT, 1)

    def dim(self, x: Value, axis: int) -> Value:
        """Return the length of an axis as a scalar."""
        axis %= x.ndim
        return self.squeeze(self.node("Shape", [x], INT, 1, start=axis, end=axis + 1), 0)

    def size(self, x: Value) -> Value:
        return self.node("Size", [x], INT, 0)

    def vector(self, parts: Sequence[Any]) -> Value:
        """Return a vector of plain and computed integers."""
        if all(isinstance(p, (int, np.integer)) for p in parts):
            return self.ints(*map(int, parts))
        values = [self.cast(self.value(p), INT) for p in parts]
        return self.concat([self.reshape(v, self.ints(1), 1) for v in values], 0)

    def reshape(self, x: Value, shape: Value, ndim: int) -> Value:
        return self.op("Reshape", x, rest=[shape], ndim=ndim, allowzero=1)

    def flatten(self, x: Value) -> Value:
        """Flatten an array."""
        return x if x.ndim == 1 else self.op("Reshape", x, rest=[self.ints(-1)], ndim=1)

    def scalar(self, x: Value) -> Value:
        """Return the only element of an array as a scalar."""
        return x if not x.ndim else self.reshape(x, self.ints(), 0)

    def unsqueeze(self, x: Value, *axes: int) -> Value:
        """Insert axes of length 1. `axes` are positions in the result."""
        if not axes:
            return x
        return self.op("Unsqueeze", x, rest=[self.ints(*axes)], ndim=x.ndim + len(axes))

    def squeeze(self, x: Value, *axes: int) -> Value:
        return self.op("Squeeze", x, rest=[self.ints(*axes)], ndim=x.ndim - len(axes)) if axes else x

    def expand(self, x: Value, shape: Value, ndim: int) -> Value:
        return self.op("Expand", x, rest=[shape], ndim=ndim)

    def transpose(self, x: Value, axes: Sequence[int]) -> Value:
        axes = [int(a) % x.ndim for a in axes]
        return x if axes == sorted(axes) else self.op("Transpose", x, perm=axes)

    def concat(self, values: Sequence[Value], axis: int) -> Value:
        return values[0] if len(values) == 1 else self.op("Concat", *values, axis=axis)

    def gather(self, x: Value, indices: Value, axis: int = 0) -> Value:
        return self.op("Gather", x, rest=[indices], ndim=x.ndim - 1 + indices.ndim, axis=axis)

    def slice(self, x: Value, starts: Value, ends: Value, axes: Value, steps: Value | None = None) -> Value:
        return self.op("Slice", x, rest=[starts, ends, axes, *([] if steps is None else [steps])])

    def range(self, start: Value, stop: Value, step: Value) -> Value:
        return self.op("Range", start, stop, step, ndim=1)

    def arange(self, length: Value) -> Value:
        """Return the integers from 0 up to `length`."""
        return self.range(self.constant(0), length, self.constant(1))

    # Reductions

    def reduce(
        self, kind: str, x: Value, axes: Sequence[int] | None = None, *, keepdims: bool = False
    ) -> Value:
        """Reduce along some axes, or along all."""
        along = range(x.ndim) if axes is None else [a % x.ndim for a in axes]
        if not along:
            return x
        ndim = x.ndim if keepdims else x.ndim - len(along)
        return self.op(kind, x, rest=[self.ints(*along)], ndim=ndim, keepdims=int(keepdims))

    def any(self, x: Value, axes: Sequence[int] | None = None, *, keepdims: bool = False) -> Value:
        """Return whether any element is true; false if there are no elements."""
        return self.cast(self.reduce("ReduceSum", self.cast(x, INT), axes, keepdims=keepdims), BOOL)

    def all(self, x: Value, axes: Sequence[int] | None = None, *, keepdims: bool = False) -> Value:
        return self.logical_not(self.any(self.logical_not(x), axes, keepdims=keepdims))

    # Checks

    def check(self, failed: Value, message: str) -> None:
        """Make the run fail if a bool is true.

        In a subgraph, which may not run, the condition includes `alive`: otherwise an optimizer could
        evaluate the check, and the model would fail to load.
        """
        failed = self.scalar(failed)
        if self.alive is not None and failed is not self.alive:
            failed = self.logical_and(self.alive, failed)
        length = self.where(failed, self.ints(2), self.ints(1))
        self.token = self.node("Reshape", [self.token, length], INT, 1, message)

    def fail(self, message: str) -> None:
        """Make the run fail whenever this graph runs."""
        if self.alive is None:
            raise unsupported.unsupported_node(
                self.current_node,
                "the function raises this whenever it is called, so a model of it could not return anything",
                "export it for arguments that it accepts",
            )
        self.check(self.alive, message)
