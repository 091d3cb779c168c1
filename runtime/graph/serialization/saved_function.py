"""The content of a file of a traced function, as `save` writes it."""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Sequence
from typing import Any, NoReturn

from ..errors import FormatError, SaveError
from ..structures import Spec, fields_of, paths
from .concrete import ConcreteGraph, Inputs
from .containers import Change
from .loaded import from_content
from .serial import Writer
from .specs import Identity, TensorSpec
from .values import NotSavable, encode, encode_key
from .variables import Variable, VariableSpec


def to_content(
    name: str, signature: inspect.Signature | None, graphs: Sequence[ConcreteGraph], *, source: bool
) -> dict[str, Any]:
    """The traces of one function.

    Raises:
        SaveError: one of them holds what has no form in a file.
    """
    saver = _Saver(name, source)
    content = {
        "name": name,
        "parameters": _parameters(signature),
        "traces": [saver.trace(graph) for graph in graphs],
        "variables": [saver.variable(v) for v in saver.variables],
        "places": saver.writer.table(),
    }
    try:
        from_content(content)  # what cannot be read must not be written
    except FormatError as error:
        raise SaveError(
            f"{name} cannot be saved: this version does not read what it writes: {error.args[0]}",
            why="a fault of autograph_rs: nothing was written",
            remedy="report the function to us",
        ) from error
    return content


def _parameters(signature: inspect.Signature | None) -> Any:
    if signature is None:
        return None
    return [[p.name, p.kind.name.lower()] for p in signature.parameters.values()]


class _Saver:
    """Writes traces that share Variables and places."""

    def __init__(self, name: str, source: bool):
        self.name = name
        self.writer = Writer(source=source)
        self.variables: list[Variable] = []

    def trace(self, trace: ConcreteGraph) -> dict[str, Any]:
        inputs, count = trace.inputs, len(trace.graph.results) - len(trace.writes)
        labels = paths(inputs.spec.parts[0], "args") + paths(inputs.spec.parts[1], "kwargs")
        arguments = [self.argument(inputs, i, f"its argument {label}") for i, label in enumerate(labels)]
        return {
            "arguments": self.structure(inputs.spec, iter(arguments)),
            "state": [None if isinstance(v, int) else self.number(v) for v in inputs.state],
            "results": self.values(
                trace.outputs.spec, trace.outputs.plain, trace.outputs.places, "its result"
            ),
            "writes": list(trace.writes),
            "changes": [self.change(change) for change in trace.changes],
            "apart": sorted(i for i in trace.twins if i < count),
            "graph": self.writer.graph(trace.graph),
        }

    def argument(self, inputs: Inputs, place: int, what: str) -> dict[str, Any]:
        leaf = inputs.leaves[place]
        if isinstance(leaf, TensorSpec):
            form = {"form": inputs.forms[place]} if place in inputs.forms else {}
            return {"argument": inputs.staged.index(place), **form}
        if isinstance(leaf, VariableSpec):
            return {"variable": leaf.number}
        value = leaf.get() if isinstance(leaf, Identity) else leaf
        if value is None and leaf is not None:
            self.refuse(f"{what} is part of it, and is gone")
        if isinstance(value, Variable):
            state = [inputs.leaves[v] if isinstance(v, int) else None for v in inputs.state]
            return {"variable": len(inputs.staged) + state.index(leaf)}
        return {"value": self.value(value, what)}

    def change(self, change: Change) -> dict[str, Any]:
        items = []
        for key, item in change.items.items():
            if isinstance(item[0], Spec):
                spec, plain, places = item
                made = self.values(spec, plain, places, "what becomes of an argument")
            else:
                made = {"path": list(map(self.key, item))}
            items.append([self.key(key), made])
        return {"path": list(map(self.key, change.path)), "items": items}

    def number(self, variable: Variable) -> int:
        for i, known in enumerate(self.variables):
            if known is variable:
                return i
        self.variables.append(variable)
        return len(self.variables) - 1

    def variable(self, variable: Variable) -> dict[str, Any]:
        value = self.value(variable.array, variable.name)
        return {"name": variable.label, "value": value}

    # Values in structures

    def values(self, spec: Spec, plain: Sequence[Any], places: Sequence[int | None], what: str) -> Any:
        leaves = [
            {"value": self.value(value, label)} if place is None else {"result": place}
            for value, place, label in zip(plain, places, paths(spec, what), strict=True)
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
        return {"kind": "record", "name": spec.kind.__name__, "fields": list(fields_of(spec)), "parts": parts}

    def value(self, value: Any, what: str) -> Any:
        try:
            return encode(value)
        except NotSavable as reason:
            self.refuse(f"{what} is part of it, and {reason}")

    def key(self, key: Any) -> Any:
        try:
            return encode_key(key)
        except NotSavable as reason:
            self.refuse(str(reason))

    def refuse(self, why: str) -> NoReturn:
        raise SaveError(
            f"{self.name} cannot be saved: {why}",
            why="a file holds numbers, text, arrays and structures of them",
            remedy="give and return such values alone",
        )
