"""Serialize a traced function to the content of a file, for `save`."""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Sequence
from typing import Any

from ...errors import FormatError, SaveError
from ...values.structures import Spec, field_names, leaf_paths
from ..concrete.argument_containers import Change
from ..concrete.concrete_graph import ConcreteGraph
from ..concrete.inputs_and_outputs import Inputs
from ..state.variables import Variable, VariableSpec
from ..tracing.specs import Identity, TensorSpec
from .graphs import GraphWriter
from .loaded_function import from_content
from .values import NotSerializable, encode, encode_key


def to_content(
    name: str, signature: inspect.Signature | None, graphs: Sequence[ConcreteGraph], *, source: bool
) -> dict[str, Any]:
    """Return the content of a file with the traces of one function, or raise `SaveError`."""
    writer = _FunctionWriter(name, source)
    content = {
        "name": name,
        "parameters": signature and [[p.name, p.kind.name.lower()] for p in signature.parameters.values()],
        "traces": [writer.trace(graph) for graph in graphs],
        "variables": [writer.variable(v) for v in writer.variables],
        "places": writer.graphs.positions(),
    }
    try:
        from_content(content)  # never write a file that cannot be read
    except FormatError as error:
        raise SaveError(
            f"{name} cannot be saved because autograph_rs could not read the file back: {error.args[0]}",
            why="this is a bug in autograph_rs, which does not write a file that it cannot read",
            remedy="report the bug, with the source of the function",
        ) from error
    return content


class _FunctionWriter:
    """Serializer for traces that share Variables and code positions."""

    def __init__(self, name: str, source: bool):
        self.name = name
        self.graphs = GraphWriter(source=source)
        self.variables: list[Variable] = []

    def trace(self, trace: ConcreteGraph) -> dict[str, Any]:
        inputs, count = trace.inputs, len(trace.graph.results) - len(trace.writes)
        labels = leaf_paths(inputs.spec.parts[0], "args") + leaf_paths(inputs.spec.parts[1], "kwargs")
        arguments = [self.argument(inputs, i, f"its argument {label}") for i, label in enumerate(labels)]
        return {
            "arguments": self.structure(inputs.spec, iter(arguments)),
            "state": [None if isinstance(v, int) else self.number(v) for v in inputs.state],
            "results": self.values(
                trace.outputs.spec, trace.outputs.plain, trace.outputs.indices, "its result"
            ),
            "writes": list(trace.writes),
            "changes": [self.change(change) for change in trace.changes],
            "apart": sorted(i for i in trace.copied_results if i < count),
            "graph": self.graphs.program(trace.graph),
        }

    def argument(self, inputs: Inputs, index: int, what: str) -> dict[str, Any]:
        leaf = inputs.leaves[index]
        if isinstance(leaf, TensorSpec):
            form = {"form": inputs.forms[index]} if index in inputs.forms else {}
            return {"argument": inputs.staged.index(index), **form}
        if isinstance(leaf, VariableSpec):
            return {"variable": leaf.number}
        value = leaf.get() if isinstance(leaf, Identity) else leaf
        if value is None and leaf is not None:
            raise self.save_error(f"{what} no longer exists")
        if isinstance(value, Variable):
            state = [inputs.leaves[v] if isinstance(v, int) else None for v in inputs.state]
            return {"variable": len(inputs.staged) + state.index(leaf)}
        return {"value": self.value(value, what)}

    def change(self, change: Change) -> dict[str, Any]:
        items = []
        for key, item in change.items.items():
            if isinstance(item[0], Spec):
                spec, plain, indices = item
                content = self.values(spec, plain, indices, "a new value in an argument")
            else:
                content = {"path": list(map(self.key, item))}
            items.append([self.key(key), content])
        return {"path": list(map(self.key, change.path)), "items": items}

    def number(self, variable: Variable) -> int:
        if not any(other is variable for other in self.variables):
            self.variables.append(variable)
        return next(i for i, other in enumerate(self.variables) if other is variable)

    def variable(self, variable: Variable) -> dict[str, Any]:
        return {"name": variable.label, "value": self.value(variable.array, variable.name)}

    def values(self, spec: Spec, plain: Sequence[Any], indices: Sequence[int | None], what: str) -> Any:
        leaves = [
            {"value": self.value(value, label)} if index is None else {"result": index}
            for value, index, label in zip(plain, indices, leaf_paths(spec, what), strict=True)
        ]
        return self.structure(spec, iter(leaves))

    def structure(self, spec: Spec, leaves: Iterator[Any]) -> Any:
        if spec.kind is None:
            return next(leaves)
        parts = [self.structure(part, leaves) for part in spec.parts]
        if spec.kind is dict:
            return {"kind": "dict", "keys": list(map(self.key, spec.keys)), "parts": parts}
        if spec.kind is tuple or spec.kind is list:
            return {"kind": spec.kind.__name__, "parts": parts}
        name, fields = spec.kind.__name__, list(field_names(spec))
        return {"kind": "record", "name": name, "fields": fields, "parts": parts}

    def value(self, value: Any, what: str) -> Any:
        try:
            return encode(value)
        except NotSerializable as reason:
            raise self.save_error(f"{what} is not serializable: {reason}") from None

    def key(self, key: Any) -> Any:
        try:
            return encode_key(key)
        except NotSerializable as reason:
            raise self.save_error(str(reason)) from None

    def save_error(self, reason: str) -> SaveError:
        return SaveError(
            f"{self.name} cannot be saved because {reason}",
            why="a file can contain only numbers, text, arrays and structures of them",
            remedy="pass and return only such values",
        )
