"""Assemble the model of a concrete function: its inputs and outputs, and their names."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import onnx
from onnx import helper

from ...errors import SaveError
from ...graph.concrete.concrete_graph import ConcreteGraph
from ...graph.ir.graph import Graph, Node
from ...graph.ir.types import ArrayType, ListType, TupleType
from ...graph.state.variables import Variable
from ...values.structures import Spec
from . import rules  # noqa: F401 - fills the tables
from .builder import unsupported
from .builder.builder import Builder, Model, Value, value_info
from .builder.values import Columns, Empty, coerce, dtype_of, flatten
from .emitter import Emitter

OPSET = 26
"""The first version of ONNX's operator set with all operators used here."""

IR_VERSION = 13


def to_model(concrete: ConcreteGraph, *, explicit: bool) -> Any:
    """Return the `ModelProto` of a concrete graph.

    Args:
        concrete: one trace of a function.
        explicit: whether Variables are inputs (and outputs if they are written) instead of constants.

    Raises:
        SaveError: the graph contains something that ONNX cannot express.

    >>> import autograph_rs as ag
    >>> concrete = ag.function(lambda x: x + 1).get_concrete_function(ag.TensorSpec((None,)))
    >>> model = to_model(concrete.concrete, explicit=False)
    >>> [node.op_type for node in model.graph.node]
    ['Add', 'Identity']
    >>> [i.name for i in model.graph.input], [o.name for o in model.graph.output]
    (['x'], ['output_0'])
    """
    return ExportedModel(concrete, explicit=explicit).proto()


class ModelDraft:
    """A model under construction: its inputs, outputs and operators."""

    def __init__(self, graph: Graph, model: Model):
        self.graph, self.model = graph, model
        self.inputs: list[Any] = []
        self.outputs: list[Any] = []
        self.b = Builder(self.model)
        self.emitter = Emitter(self.b)

    def add_input(self, node: Node, name: str) -> None:
        """Add an input for an argument of the graph."""
        value = self.add_argument(node, name)
        dims = [f"{name}.{axis}" if d is None else d for axis, d in enumerate(node.type.shape)]
        self.inputs.append(value_info(value, name, dims))

    def add_argument(self, node: Node, name: str) -> Value:
        """Return the value of an argument of the graph."""
        self.b.current_node = node
        value = self.emitter.values[node] = Value(name, dtype_of(self.b, node.type), node.type.ndim)
        return value

    def add_output(self, name: str, value: Value, dims: list[Any]) -> None:
        """Add an output for a value."""
        self.b.emit("Identity", [value], [name])
        self.outputs.append(value_info(value, name, dims))

    def proto(self) -> Any:
        """Return the finished and checked `ModelProto`.

        Raises:
            SaveError: the known shapes are inconsistent.
        """
        graph = helper.make_graph(
            self.b.nodes,
            self.graph.name,
            self.inputs,
            self.outputs,
            [i for i in self.model.initializers if self.model.used[i.name]],
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
            raise self.error(
                "it fails for all arguments of these shapes",
                f"ONNX found inconsistent shapes: {error}",
                "export it for arguments that it accepts",
            ) from error
        return model

    def error(self, problem: str, why: str, remedy: str, place: Any = None) -> SaveError:
        message = f"{self.graph.name} {unsupported.NOT_EXPORTABLE}: {problem}"
        return SaveError(message, why=why, remedy=remedy, place=place)


class ExportedModel(ModelDraft):
    def __init__(self, concrete: ConcreteGraph, *, explicit: bool):
        model = Model()
        names = [model.fresh(input_name(node.attrs["name"])) for node in concrete.graph.arguments]
        self.names = [model.fresh(path) for path in result_names(concrete.outputs.spec)]
        new = [model.fresh(f"{names[i]}.new") for i in concrete.writes]
        super().__init__(concrete.graph, model)
        self.concrete, self.explicit = concrete, explicit
        self.check_no_writes()
        start = self.b.token
        for n, (node, name) in enumerate(zip(concrete.graph.arguments, names, strict=True)):
            self.add_argument_or_constant(n, node, name)
        results = self.emitter.graph(concrete.graph)
        written = results[len(results) - len(concrete.writes) :]
        leaves = [*self.named_results(results), *((name, v, self.written_node(k))
                  for k, (name, v) in enumerate(zip(new, written, strict=True)))]  # fmt: skip
        tensors = [part for leaf in leaves for part in self.result_tensors(*leaf)]
        if not tensors:
            raise self.error(
                "it returns nothing",
                "a model must have an output",
                "return a value that the function computes",
            )
        if self.b.token is not start:
            tensors[0] = (tensors[0][0], self.after_checks(tensors[0][1]), tensors[0][2])
        for name, value, dims in tensors:
            self.add_output(name, value, dims)

    def check_no_writes(self) -> None:
        """Raise if the graph changes containers among its arguments, or Variables that are constants."""
        graph = self.concrete.graph
        if self.concrete.changes:
            raise self.error(
                "it changes a list, dict or object among its arguments",
                "a model takes and returns arrays, and cannot change its caller's objects",
                "create a new one in the function and return it",
            )
        staged = len(self.concrete.inputs.staged)
        for k, index in enumerate(self.concrete.writes):
            if index >= staged and not self.explicit:
                raise self.error(
                    f"it writes the Variable {graph.arguments[index].attrs['name']!r}",
                    "Variables are constants of the model, which cannot be written to",
                    'make Variables inputs and outputs: variables="explicit"',
                    place=next(iter(self.written_node(k).places[-1:]), None),
                )

    def written_node(self, k: int) -> Node:
        """Return the node that computes the new value of the k-th written argument."""
        results = self.concrete.graph.results
        return results[len(results) - len(self.concrete.writes) + k]

    # Inputs

    def add_argument_or_constant(self, index: int, node: Node, name: str) -> None:
        """Add an input of the model, or a constant for a Variable."""
        position = index - len(self.concrete.inputs.staged)
        if position >= 0 and not self.explicit:
            variable = self.concrete.inputs.state[position]
            if not isinstance(variable, Variable):
                raise self.error(
                    f"the Variable {node.attrs['name']!r} is an argument",
                    "each call can pass a different Variable, but the model would contain only one",
                    'make it an input: variables="explicit"',
                )
            self.add_argument(node, name)
            self.model.initializers.append(onnx.numpy_helper.from_array(np.asarray(variable.value), name))
        else:
            self.add_input(node, name)

    # Outputs

    def named_results(self, results: Sequence[Any]) -> Iterator[tuple[str, Any, Any]]:
        """Yield the name, value and node of each leaf of the function's result, except None."""
        outputs = self.concrete.outputs
        nodes = self.concrete.graph.results
        for name, plain, place in zip(self.names, outputs.plain, outputs.indices, strict=True):
            if place is not None:
                yield name, results[place], nodes[place]
            elif plain is not None:
                yield name, self.plain_result(name, plain), None

    def plain_result(self, name: str, value: Any) -> Value:
        """Return a constant for a plain value that the function returns."""
        is_array = isinstance(value, (bool, int, float, str, np.generic, np.ndarray))
        if not is_array or np.asarray(value).dtype.kind not in "biufU":
            raise self.error(
                f"it returns a {type(value).__name__}",
                f"the output {name} must be an array of numbers, bools or strings",
                "return arrays and numbers",
            )
        return self.b.constant(value, np.asarray(value).dtype)

    def result_tensors(
        self, name: str, value: Any, node: Node | None
    ) -> Iterator[tuple[str, Value, list[Any]]]:
        """Yield the name, value and dimensions of each tensor or sequence of a result."""
        kind = None if node is None else node.type
        if node is not None:
            self.b.current_node = node
        if isinstance(value, Empty):
            value = coerce(self.b, value, ListType(ArrayType(np.dtype(np.float64))))
        if isinstance(value, (Columns, tuple)):
            columns = value.parts if isinstance(value, Columns) else value
            element = kind.element if isinstance(kind, ListType) else None
            for n, part in enumerate(columns):
                inner = ListType(element.parts[n]) if isinstance(element, TupleType) else None
                typed = node and Node(node.op, node.inputs, node.attrs, inner, node.source)
                yield from self.result_tensors(self.model.fresh(f"{name}.{n}"), part, typed)
            return
        for n, part in enumerate(flatten(value)):
            label = self.model.fresh(name) if n else name
            yield label, part, list(kind.shape) if isinstance(kind, ArrayType) else [None] * part.ndim

    def after_checks(self, value: Value) -> Value:
        """Make an output depend on the token, so that it is computed only if all checks pass."""
        b = self.b
        if value.is_sequence:
            place = b.reshape(b.token, b.ints(), 0)
            empty = b.constant(np.zeros((0,) * value.ndim, value.dtype))
            longer = b.sequence("SequenceInsert", [value, empty, place], value.dtype, value.ndim)
            return b.sequence("SequenceErase", [longer, place], value.dtype, value.ndim)
        return b.reshape(value, b.add(b.shape(value), b.token), value.ndim)


def input_name(label: str) -> str:
    """Return the name of an argument, such as `x.0.key` for `x[0]['key']`."""
    return re.sub(r"\['?([^\]']*)'?\]", r".\1", label)


def result_names(spec: Spec) -> list[str]:
    """Return a name for each leaf of the result."""
    if spec.kind is None:
        return ["output_0"]
    named = bool(spec.keys)
    return [
        ".".join([str(key) if named else f"output_{key}", *rest])
        for key, part in spec.items()
        for rest in key_paths(part)
    ]


def key_paths(spec: Spec) -> list[list[str]]:
    if spec.kind is None:
        return [[]]
    return [[str(key), *rest] for key, part in spec.items() for rest in key_paths(part)]
