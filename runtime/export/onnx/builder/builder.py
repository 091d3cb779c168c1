"""ONNX graphs, node by node: values with dtype and rank, and the operators that everything is made of.

A *check* makes a run fail, as the Python program would raise: by an operator whose inputs do not fit, whose
name is the message. What it gives, the *token*, leads through all checks in their order into an output,
so that no optimisation takes one for unused.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper

from ...graph.ir import Node
from . import refused
from .kernels import computed

INT = np.dtype(np.int64)
BOOL = np.dtype(bool)
FLOAT = np.dtype(np.float64)


@dataclass(frozen=True, slots=True, eq=False)
class Value:
    """A tensor of an ONNX graph, or a sequence of tensors of that dtype and rank.

    `weak` is a Python number, which takes the dtype of an array beside it; `constant` what it holds,
    if that is known.
    """

    name: str
    dtype: np.dtype
    ndim: int
    weak: bool = False
    constant: np.ndarray | None = None
    is_sequence: bool = False


class Model:
    """What all graphs of a model share: fresh names, and constants.

    `origins` has for the name of each operator the node that it is of, and what a check says.
    """

    def __init__(self) -> None:
        self.taken: set[str] = set()
        self.used: Counter[str] = Counter()
        self.constants: dict[Any, Value] = {}
        self.initialisers: list[TensorProto] = []
        self.origins: dict[str, tuple[Node, str]] = {}

    def fresh(self, stem: str) -> str:
        """A name that no value of the model has yet."""
        name, count = stem, 0
        while not name or name in self.taken:
            count += 1
            name = f"{stem}_{count}"
        self.taken.add(name)
        return name

    def constant(self, array: np.ndarray, *, weak: bool) -> Value:
        key = (array.dtype.str, array.shape, weak, array.tobytes())
        if key not in self.constants:
            name = self.fresh("constant")
            held = array.astype(object) if array.dtype.kind == "U" else array
            self.initialisers.append(onnx.numpy_helper.from_array(held, name))
            dtype = np.dtype("U") if array.dtype.kind == "U" else array.dtype
            self.constants[key] = Value(name, dtype, array.ndim, weak, array)
        return self.constants[key]


def element_type(dtype: np.dtype) -> int:
    if dtype.kind == "U":
        return int(TensorProto.STRING)
    return int(helper.np_dtype_to_tensor_dtype(dtype))


def value_info(value: Value, name: str, dims: Sequence[int | str | None] | None = None) -> Any:
    """What a graph says of one of its inputs or outputs."""
    shape = [None] * value.ndim if dims is None else list(dims)
    if value.is_sequence:
        return helper.make_tensor_sequence_value_info(name, element_type(value.dtype), shape)
    return helper.make_tensor_value_info(name, element_type(value.dtype), shape)


class Builder:
    """The graph that is being made: of the model, of a branch or of a loop's body.

    Args:
        model: what the graphs share.
        parent: the graph around this one.
        alive: true whenever this graph runs, though no optimiser knows; None for the graph of the model.
        token: what the checks so far have led to.
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
        self.at: Node = Node("graph", (), {}, None) if parent is None else parent.at
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
        """An operator with one result, as it stands."""
        made = Value(self.model.fresh(kind.lower()), np.dtype(dtype), ndim)
        self.add(kind, inputs, [made.name], name, **attrs)
        return made

    def sequence(
        self, kind: str, inputs: Sequence[Value | None], dtype: np.dtype, ndim: int, **attrs: Any
    ) -> Value:
        """An operator whose result is a sequence of tensors."""
        made = Value(self.model.fresh(kind.lower()), dtype, ndim, is_sequence=True)
        self.add(kind, inputs, [made.name], **attrs)
        return made

    def no_items(self, dtype: np.dtype, ndim: int) -> Value:
        """An empty sequence of tensors."""
        made = Value(self.model.fresh("sequence"), dtype, ndim, is_sequence=True)
        self.add("SequenceEmpty", [], [made.name], dtype=element_type(dtype))
        return made

    def add(
        self, kind: str, inputs: Sequence[Value | None], outputs: Sequence[str], name: str = "", **attrs: Any
    ) -> None:
        taken = ["" if i is None else i.name for i in inputs]
        self.model.used.update(taken)
        label = self.model.fresh(f"{name or f'{self.at.op}/{kind}'}{self.line()}")
        self.model.origins[label] = (self.at, name)
        self.nodes.append(helper.make_node(kind, taken, list(outputs), name=label, **attrs))

    def line(self) -> str:
        """The user's file and line, for the names of nodes, which the errors of a run tell."""
        return "".join(f" ({os.path.basename(place.file)}:{place.line})" for place in self.at.places[-1:])

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
        """An operator whose operands have one dtype, in which onnxruntime computes it.

        Args:
            kind: the operator.
            *operands: values of one dtype.
            dtype: that of the result, if it is another.
            ndim: the rank of the result, if it is not the highest of the operands.
            rest: the inputs behind the operands.
            first: those before them.
            **attrs: the operator's attributes.
        """
        given = operands[0].dtype
        used = computed(kind, given)
        if used is None or given.kind == "c":
            raise refused.no_dtype(self.at, given, kind)
        rank = max(v.ndim for v in (*operands, *first)) if ndim is None else ndim
        inputs = [*first, *(self.cast(v, used) for v in operands), *rest]
        made = self.node(kind, inputs, used if dtype is None else dtype, rank, **attrs)
        return self.cast(made, given) if dtype is None else made

    # Constants

    def constant(self, value: Any, dtype: Any = None) -> Value:
        """A constant; a Python number is weak."""
        weak = dtype is None and type(value) in (bool, int, float, str)
        if type(value) is int and dtype is None:
            if not -(2**63) <= value < 2**63:
                raise refused.unsayable(
                    self.at, "its integers have 64 bits", "use a smaller number", f"the integer {value}"
                )
            dtype = INT
        return self.model.constant(np.asarray(value, dtype), weak=weak)

    def ints(self, *values: int) -> Value:
        """A vector of integers."""
        return self.model.constant(np.array(values, INT), weak=False)

    def like(self, value: float, x: Value) -> Value:
        """A number of a value's dtype."""
        return self.constant(value, x.dtype)

    def value(self, given: Any) -> Value:
        """A value as it is, or a number or array as a constant."""
        return given if isinstance(given, Value) else self.constant(given)

    # Dtypes

    def cast(self, x: Value, dtype: Any) -> Value:
        dtype = np.dtype(dtype)
        if x.dtype == dtype or (x.dtype.kind == dtype.kind == "U"):
            return x
        if dtype.kind not in "biufU" or x.dtype.kind not in "biufU":
            raise refused.no_dtype(self.at, dtype if dtype.kind not in "biufU" else x.dtype, "arrays")
        if x.constant is not None and dtype.kind != "U" and x.dtype.kind != "U":
            with np.errstate(all="ignore"):
                return self.model.constant(x.constant.astype(dtype), weak=False)
        return self.node("Cast", [x], dtype, x.ndim, to=element_type(dtype))

    def common(self, *values: Value) -> list[Value]:
        """Values in the dtype to which NumPy promotes them."""
        dtype = self.promoted(*values)
        return [self.cast(v, dtype) for v in values]

    def promoted(self, *values: Value) -> np.dtype:
        samples = [v.dtype.type(1).item() if v.weak and v.dtype.kind != "U" else v.dtype for v in values]
        if all(type(s) in (bool, int, float) for s in samples):
            return np.result_type(*[v.dtype for v in values])
        return np.result_type(*samples)

    # Arithmetic

    def binary(self, kind: str, x: Any, y: Any) -> Value:
        """An operator on two values that are broadcast; a plain number takes the dtype of the other."""
        if not isinstance(x, Value):
            x = self.like(x, y)
        if not isinstance(y, Value):
            y = self.like(y, x)
        compares = kind in ("Equal", "Less", "LessOrEqual", "Greater", "GreaterOrEqual")
        return self.op(kind, x, y, dtype=BOOL if compares else None)

    def plus(self, x: Any, y: Any) -> Value:
        return self.binary("Add", x, y)

    def minus(self, x: Any, y: Any) -> Value:
        return self.binary("Sub", x, y)

    def times(self, x: Any, y: Any) -> Value:
        return self.binary("Mul", x, y)

    def over(self, x: Any, y: Any) -> Value:
        return self.binary("Div", x, y)

    def equal(self, x: Any, y: Any) -> Value:
        return self.binary("Equal", x, y)

    def less(self, x: Any, y: Any) -> Value:
        return self.binary("Less", x, y)

    def both(self, x: Value, y: Value) -> Value:
        return self.op("And", x, y)

    def either(self, x: Value, y: Value) -> Value:
        return self.op("Or", x, y)

    def negated(self, x: Value) -> Value:
        return self.op("Not", x)

    def where(self, test: Value, x: Any, y: Any) -> Value:
        """`x` where a truth value is true, else `y`; both of one dtype."""
        if not isinstance(x, Value):
            x = self.like(x, y)
        if not isinstance(y, Value):
            y = self.like(y, x)
        return self.op("Where", x, y, first=[test])

    def is_nan(self, x: Value) -> Value:
        return self.op("IsNaN", x, dtype=BOOL)

    # Shapes

    def shape(self, x: Value) -> Value:
        return self.node("Shape", [x], INT, 1)

    def dim(self, x: Value, axis: int) -> Value:
        """The length of an axis, as a number."""
        axis %= x.ndim
        return self.squeeze(self.node("Shape", [x], INT, 1, start=axis, end=axis + 1), 0)

    def size(self, x: Value) -> Value:
        return self.node("Size", [x], INT, 0)

    def vector(self, parts: Sequence[Any]) -> Value:
        """A vector of integers of plain and computed ones."""
        if all(isinstance(p, (int, np.integer)) for p in parts):
            return self.ints(*map(int, parts))
        values = [self.cast(self.value(p), INT) for p in parts]
        return self.concat([self.reshape(v, self.ints(1), 1) for v in values], 0)

    def reshape(self, x: Value, shape: Value, ndim: int) -> Value:
        return self.op("Reshape", x, rest=[shape], ndim=ndim, allowzero=1)

    def flat(self, x: Value) -> Value:
        """The items in a vector."""
        return x if x.ndim == 1 else self.op("Reshape", x, rest=[self.ints(-1)], ndim=1)

    def scalar(self, x: Value) -> Value:
        """The one item of an array."""
        return x if not x.ndim else self.reshape(x, self.ints(), 0)

    def unsqueeze(self, x: Value, *axes: int) -> Value:
        """With axes of length 1; `axes` are those of the result."""
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

    def count(self, length: Value) -> Value:
        """0, 1, ... below a number."""
        return self.range(self.constant(0), length, self.constant(1))

    # Reductions

    def reduce(
        self, kind: str, x: Value, axes: Sequence[int] | None = None, *, keepdims: bool = False
    ) -> Value:
        """A reduction along some axes, or along all."""
        along = range(x.ndim) if axes is None else [a % x.ndim for a in axes]
        if not along:
            return x
        ndim = x.ndim if keepdims else x.ndim - len(along)
        return self.op(kind, x, rest=[self.ints(*along)], ndim=ndim, keepdims=int(keepdims))

    def any(self, x: Value, axes: Sequence[int] | None = None, *, keepdims: bool = False) -> Value:
        """Whether a truth value among some is true; false where there is none."""
        return self.cast(self.reduce("ReduceSum", self.cast(x, INT), axes, keepdims=keepdims), BOOL)

    def all(self, x: Value, axes: Sequence[int] | None = None, *, keepdims: bool = False) -> Value:
        return self.negated(self.any(self.negated(x), axes, keepdims=keepdims))

    # Checks

    def check(self, failed: Value, message: str) -> None:
        """Let the run fail where a truth value is true.

        In a branch or loop, which may not run, no optimiser must know before, or the model would not load.
        """
        failed = self.scalar(failed)
        failed = failed if self.alive is None or failed is self.alive else self.both(self.alive, failed)
        length = self.where(failed, self.ints(2), self.ints(1))
        self.token = self.node("Reshape", [self.token, length], INT, 1, message)

    def fail(self, message: str) -> None:
        """Let the run fail whenever this graph runs."""
        if self.alive is None:
            raise refused.unsayable(
                self.at,
                "the function raises this whenever it is called, so a model of it could give nothing",
                "export it for arguments that it takes",
            )
        self.check(self.alive, message)
