"""From the nodes of a graph to ONNX: what each value became, and the rule of each op."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np

from ...backends import BACKENDS
from ...graph import record
from ...graph.gradient.rules import DEFINITIONS
from ...graph.ir import Graph, Node, Slot
from ...graph.optimise import ALL, optimise
from ...graph.staged import Tensor, wrap
from ...graph.trace import Root, building
from ...graph.types import ArrayType, ListType, ScalarType
from ..calls import filled
from . import refused
from .builder import Builder, Value
from .call import Call
from .rules import COMPOSITIONS, FUNCTIONS, LISTS, METHODS, OPS
from .values import Empty, Items, coerced

Rule = Callable[..., Any]


class Emitter:
    """Walks graphs, and emits each node into the ONNX graph that is open.

    `b` is that graph; `values` has what each node became: a `Value`, a list or tuple of them, an iterable,
    or for a node with several results a tuple of these.
    """

    def __init__(self, builder: Builder):
        self.b = builder
        self.values: dict[Node, Any] = {}
        self._composing: list[Any] = []
        self._results: dict[Node, dict[int, Any]] = {}

    # Graphs

    def graph(self, graph: Graph) -> list[Any]:
        """Emit what a graph's results and effects need; its results."""
        needed = _needed(graph)
        for node in graph.nodes:
            if node.op == "output" and node in needed:
                self._results.setdefault(node.inputs[0], {})[node.attrs["index"]] = node.type
        for node in graph.nodes:
            if node in needed:
                self.node(node)
        return [self.values[r] for r in graph.results]

    def node(self, node: Node) -> None:
        if not self._composing:
            self.b.at = node
        errors = node.attrs.get("errstate") or {}
        if node.inputs and "raise" in errors.values():
            raise refused.unsayable(
                node,
                "the function was traced where np.errstate makes errors of warnings, and no model has those",
                "test the values, and raise an error by 'raise' or 'assert'",
            )
        self.values[node] = self._emitted(node)

    def _emitted(self, node: Node) -> Any:
        is_list = any(isinstance(i.type, ListType) for i in node.inputs)
        rule = (LISTS.get(node.op) if is_list else None) or OPS.get(node.op)
        if rule is not None:
            return rule(self, node)
        function: Any = record.UFUNCS.get(node.op) or node.attrs.get("function")
        found = self.rule_of(function)
        if found is None:
            definition = COMPOSITIONS.get(function) or DEFINITIONS.get(function)
            if definition is None or function in (np.gradient, *self._composing):
                raise refused.no_rule(node)
            return self.composed(node, definition)
        args, kwargs = self.arguments(node)
        call = Call(self.b, node)
        try:
            inspect.signature(found).bind(call, *args, **kwargs)
        except TypeError:
            raise refused.with_options(node, "these arguments") from None
        return self.result(node, found(call, *args, **kwargs))

    def result_types(self, node: Node) -> dict[int, Any]:
        """The types of those results of a condition that are used."""
        return dict(sorted(self._results.get(node, {}).items()))

    def rule_of(self, function: Any) -> Rule | None:
        owner = getattr(function, "__self__", None)
        if isinstance(owner, np.ufunc):
            return METHODS.get((owner, function.__name__))
        return FUNCTIONS.get(function)

    def result(self, node: Node, made: Any) -> Any:
        """What a rule gave, in the dtype that the node has."""
        if isinstance(made, Value) and isinstance(node.type, (ArrayType, ScalarType)):
            made = coerced(self.b, made, node.type)
            ndim = node.type.ndim if isinstance(node.type, ArrayType) else 0
            if made.ndim != ndim:
                raise refused.with_options(node, "these arguments")
        if isinstance(made, tuple) and node.type is None:
            kinds = self._results.get(node, {})
            return tuple([coerced(self.b, v, kinds[n]) if n in kinds else v for n, v in enumerate(made)])
        return made

    # Arguments

    def inputs(self, node: Node) -> list[Any]:
        return [self.values[i] for i in node.inputs]

    def arguments(self, node: Node) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """The arguments of a node's call, with what the inputs became in the place of the slots."""
        inputs = [self.value(i) for i in node.inputs]
        args = node.attrs.get("args")
        if args is None:
            return tuple(inputs), {}
        return filled(args, inputs), filled(node.attrs.get("kwargs", {}), inputs)

    def value(self, node: Node) -> Any:
        """What a node became, as an argument of a function: a Python number is weak, a list an array."""
        made = self.values[node]
        if isinstance(made, Items):
            return made.tensor
        if isinstance(made, Empty):
            if self.b.at.op not in ("numpy.array", "numpy.asarray"):
                raise refused.with_options(self.b.at, "an empty list")
            return self.b.constant(np.zeros(0), None)
        if isinstance(made, Value) and isinstance(node.type, ScalarType) and not made.weak:
            return Value(made.name, made.dtype, made.ndim, weak=True, constant=made.constant)
        return made

    # Compositions

    def composed(self, node: Node, definition: Rule) -> Any:
        """A function that is a composition of others: they are traced, and emitted in its place."""
        graph, several = self._traced(node, definition)
        self.values.update(zip(graph.arguments, self.inputs(node), strict=True))
        self._composing.append(node.attrs.get("function"))
        made = self.graph(graph)
        self._composing.pop()
        return self.result(node, tuple(made) if several else made[0])

    def _traced(self, node: Node, definition: Rule) -> tuple[Graph, bool]:
        builder = Root(node.op, may_create=False)
        with building(builder, BACKENDS[Tensor]):
            inputs = [wrap(builder.argument(i.type, f"x{n}"), builder) for n, i in enumerate(node.inputs)]
            arrays = self._as_floats(node, [
                record.call(np.array, (v,), {}) if isinstance(i.type, ListType) else v
                for v, i in zip(inputs, node.inputs, strict=True)
            ])  # fmt: skip
            args = filled(node.attrs.get("args", tuple(map(Slot, range(len(arrays))))), arrays)
            try:
                made = definition(*args, **filled(node.attrs.get("kwargs", {}), arrays))
            except Exception as error:
                raise refused.no_rule(node) from error
            several = node.type is None
            builder.graph.results += [record.to_node(v) for v in (made if several else [made])]
        dtypes = [getattr(t, "dtype", None) for t in (builder.graph.results[0].type, node.type)]
        if not several and dtypes[0] != dtypes[1]:
            raise refused.no_rule(node)
        optimise(builder.graph, ALL)
        return builder.graph, several

    def _as_floats(self, node: Node, arrays: list[Any]) -> list[Any]:
        """Arrays in the dtype of a result of floats, in which NumPy computes: the definitions are those of
        gradients, of floats of one dtype. Integers beside floats may be indices, but for a ufunc.
        """
        result = getattr(node.type, "dtype", None)
        dtypes = [getattr(getattr(a, "type", None), "dtype", None) for a in arrays]
        if result is None or result.kind != "f":
            return arrays
        every = isinstance(node.attrs.get("function"), np.ufunc) or all(
            d is None or d.kind != "f" for d in dtypes
        )
        return [
            record.converted(a, ArrayType(result, a.type.shape))
            if d is not None and (every or d.kind == "f")
            else a
            for a, d in zip(arrays, dtypes, strict=True)
        ]


def _needed(graph: Graph) -> set[Node]:
    """The nodes that results and effects need. What an error tells has no place in a model."""
    needed: set[Node] = set()
    queue = list(graph.results)
    queue += [node for node in graph.nodes if node.effect]
    while queue:
        node = queue.pop()
        if node not in needed:
            needed.add(node)
            queue += () if node.op == "raise" else node.inputs
    return needed
