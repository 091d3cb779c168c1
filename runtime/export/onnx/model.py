"""The model: what goes in and comes out, under which names."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import onnx
from onnx import helper

from ...errors import SaveError
from ...graph.concrete import ConcreteGraph
from ...graph.ir import Graph, Node
from ...graph.types import ArrayType, ListType, TupleType
from ...graph.variables import Variable
from ...structures import Spec
from . import refused
from .builder import Builder, Model, Value, value_info
from .emitter import Emitter
from .values import Columns, Empty, coerced, dtype_of, flatten

OPSET = 26
"""The version of ONNX's operators: the first that has all of those that are used here."""

IR_VERSION = 13


def to_model(concrete: ConcreteGraph, *, explicit: bool) -> Any:
    """The `ModelProto` for a graph.

    Args:
        concrete: one trace of a function.
        explicit: whether Variables are inputs, and outputs where they are written; else they are constants.

    Raises:
        SaveError: the graph holds what ONNX cannot say.

    >>> import autograph_rs as ag
    >>> concrete = ag.function(lambda x: x + 1).get_concrete_function(ag.TensorSpec((None,)))
    >>> model = to_model(concrete.concrete, explicit=False)
    >>> [node.op_type for node in model.graph.node]
    ['Add', 'Identity']
    >>> [i.name for i in model.graph.input], [o.name for o in model.graph.output]
    (['x'], ['output_0'])
    """
    exported = _Exported(concrete, explicit=explicit)
    return exported.proto()


class Draft:
    """A model that is being made of a graph: what it takes, gives and computes."""

    def __init__(self, graph: Graph, model: Model):
        self.graph, self.model = graph, model
        self.inputs: list[Any] = []
        self.outputs: list[Any] = []
        self.b = Builder(self.model)
        self.emitter = Emitter(self.b)

    def input(self, node: Node, name: str) -> None:
        """An input for an argument of the graph."""
        value = self.argument(node, name)
        dims = [f"{name}.{axis}" if d is None else d for axis, d in enumerate(node.type.shape)]
        self.inputs.append(value_info(value, name, dims))

    def argument(self, node: Node, name: str) -> Value:
        """What stands for an argument of the graph."""
        self.b.at = node
        value = self.emitter.values[node] = Value(name, dtype_of(self.b, node.type), node.type.ndim)
        return value

    def output(self, name: str, value: Value, dims: list[Any]) -> None:
        """An output that gives a value, under a name of its own."""
        self.b.add("Identity", [value], [name])
        self.outputs.append(value_info(value, name, dims))

    def proto(self) -> Any:
        """The finished `ModelProto`, which is checked.

        Raises:
            SaveError: lengths that are known do not fit.
        """
        graph = helper.make_graph(
            self.b.nodes,
            self.graph.name,
            self.inputs,
            self.outputs,
            [i for i in self.model.initialisers if self.model.used[i.name]],
        )
        model = helper.make_model(
            graph,
            opset_imports=[helper.make_opsetid("", OPSET)],
            ir_version=IR_VERSION,
            producer_name="autograph_rs",
        )
        try:
            onnx.checker.check_model(model, full_check=True)
        except onnx.shape_inference.InferenceError as error:
            raise SaveError(
                f"{self.graph.name} {refused.REFUSED}: it fails for all arguments of these shapes",
                why=f"lengths that are known do not fit, as ONNX finds: {error}",
                remedy="export it for arguments that it takes",
            ) from error
        return model


class _Exported(Draft):
    def __init__(self, concrete: ConcreteGraph, *, explicit: bool):
        model = Model()
        names = [model.fresh(_spelled(node.attrs["name"])) for node in concrete.graph.arguments]
        self.names = [model.fresh(path) for path in _paths(concrete.outputs.spec)]
        new = [model.fresh(f"{names[i]}.new") for i in concrete.writes]
        super().__init__(concrete.graph, model)
        self.concrete, self.explicit = concrete, explicit
        self.refuse_changes()
        start = self.b.token
        for n, (node, name) in enumerate(zip(concrete.graph.arguments, names, strict=True)):
            self.take(n, node, name)
        results = self.emitter.graph(concrete.graph)
        written = results[len(results) - len(concrete.writes) :]
        leaves = [*self.results(results), *((name, v, self.written(k))
                  for k, (name, v) in enumerate(zip(new, written, strict=True)))]  # fmt: skip
        made = [part for leaf in leaves for part in self.parts(*leaf)]
        if not made:
            raise SaveError(
                f"{concrete.graph.name} {refused.REFUSED}: it returns nothing",
                why="a model is what it gives",
                remedy="return what the function computes",
            )
        if self.b.token is not start:
            made[0] = (made[0][0], self.checked(made[0][1]), made[0][2])
        for name, value, dims in made:
            self.output(name, value, dims)

    def refuse_changes(self) -> None:
        """A model has no objects to put anything into, and constants are not written."""
        graph = self.concrete.graph
        if self.concrete.changes:
            raise SaveError(
                f"{graph.name} {refused.REFUSED}: it changes a list, dict or object among its arguments",
                why="a model takes arrays and gives arrays, and nothing else of its caller's",
                remedy="make a new one in the function, and return it",
            )
        staged = len(self.concrete.inputs.staged)
        for k, index in enumerate(self.concrete.writes):
            if index >= staged and not self.explicit:
                node = self.written(k)
                raise SaveError(
                    f"{graph.name} {refused.REFUSED}: it writes the Variable "
                    f"{graph.arguments[index].attrs['name']!r}",
                    why="Variables are constants of the model, which it cannot write",
                    remedy='make them inputs and outputs: variables="explicit"',
                    place=next(iter(node.places[-1:]), None),
                )

    def written(self, k: int) -> Node:
        """The node that computes what the k-th of the written arguments becomes."""
        results = self.concrete.graph.results
        return results[len(results) - len(self.concrete.writes) + k]

    # Inputs

    def take(self, index: int, node: Node, name: str) -> None:
        """An input of the model, or a constant for a Variable."""
        position = index - len(self.concrete.inputs.staged)
        if position >= 0 and not self.explicit:
            held = self.concrete.inputs.state[position]
            if not isinstance(held, Variable):
                raise SaveError(
                    f"{self.concrete.graph.name} {refused.REFUSED}: the Variable "
                    f"{node.attrs['name']!r} is an argument",
                    why="which one it is says each call",
                    remedy='make it an input: variables="explicit"',
                )
            self.argument(node, name)
            self.model.initialisers.append(onnx.numpy_helper.from_array(np.asarray(held.value), name))
        else:
            self.input(node, name)

    # Outputs

    def results(self, results: Sequence[Any]) -> Iterator[tuple[str, Any, Any]]:
        """What the function returns, leaf by leaf, but None: name, value, node or nothing."""
        outputs = self.concrete.outputs
        nodes = self.concrete.graph.results
        for name, plain, place in zip(self.names, outputs.plain, outputs.places, strict=True):
            if place is not None:
                yield name, results[place], nodes[place]
            elif plain is not None:
                yield name, self.plain(name, plain), None

    def plain(self, name: str, value: Any) -> Value:
        """A value that the function returns and that depends on no argument."""
        array = (
            np.asarray(value) if isinstance(value, (bool, int, float, str, np.generic, np.ndarray)) else None
        )
        if array is None or array.dtype.kind not in "biufU":
            raise SaveError(
                f"{self.concrete.graph.name} {refused.REFUSED}: it returns a {type(value).__name__}",
                why=f"{name} of a model is an array of numbers, truth values or text",
                remedy="return arrays and numbers",
            )
        return self.b.constant(array, array.dtype)

    def parts(self, name: str, value: Any, node: Node | None) -> Iterator[tuple[str, Value, list[Any]]]:
        """The tensors and sequences of a result."""
        kind = None if node is None else node.type
        if node is not None:
            self.b.at = node
        if isinstance(value, Empty):
            value = coerced(self.b, value, ListType(ArrayType(np.dtype(np.float64))))
        if isinstance(value, (Columns, tuple)):
            columns = value.parts if isinstance(value, Columns) else value
            inner = (
                kind.element.parts
                if isinstance(kind, ListType) and isinstance(kind.element, TupleType)
                else ()
            )
            for n, part in enumerate(columns):
                yield from self.parts(
                    self.model.fresh(f"{name}.{n}"), part, _as(node, ListType(inner[n]) if inner else None)
                )
            return
        for n, part in enumerate(flatten(value)):
            label = self.model.fresh(name) if n else name
            yield label, part, list(kind.shape) if isinstance(kind, ArrayType) else [None] * part.ndim

    def checked(self, value: Value) -> Value:
        """An output that is there only if all checks have passed."""
        b = self.b
        if value.is_sequence:
            place = b.reshape(b.token, b.ints(), 0)
            filled = b.sequence(
                "SequenceInsert", [value, b.constant(_one(value)), place], value.dtype, value.ndim
            )
            return b.sequence("SequenceErase", [filled, place], value.dtype, value.ndim)
        return b.reshape(value, b.plus(b.shape(value), b.token), value.ndim)


def _one(value: Value) -> np.ndarray:
    return np.zeros((0,) * value.ndim, value.dtype)


def _as(node: Node | None, kind: Any) -> Node | None:
    return node if node is None else Node(node.op, node.inputs, node.attrs, kind, node.source)


def _spelled(label: str) -> str:
    """The name of an argument, as `x.0.key` for `x[0]['key']`."""
    return re.sub(r"\['?([^\]']*)'?\]", r".\1", label)


def _paths(spec: Spec) -> list[str]:
    """A name for each leaf of the result."""
    if spec.kind is None:
        return ["output_0"]
    named = bool(spec.keys)
    return [
        ".".join([str(key) if named else f"output_{key}", *rest])
        for key, part in spec.items()
        for rest in _inner(part)
    ]


def _inner(spec: Spec) -> list[list[str]]:
    if spec.kind is None:
        return [[]]
    return [[str(key), *rest] for key, part in spec.items() for rest in _inner(part)]
