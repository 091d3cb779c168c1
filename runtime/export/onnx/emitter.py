"""Emit the nodes of a graph as ONNX operators, using the rule for each op."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np

from ...backends import BACKENDS
from ...graph.ir.graph import Graph, Node, Slot, fill_slots
from ...graph.ir.types import ArrayType, ListType, ScalarType
from ...graph.optimise import ALL, optimise
from ...graph.rules.tables import DEFINITIONS
from ...graph.rules.ufuncs import UFUNCS
from ...graph.tracing import recording
from ...graph.tracing.tensor import Tensor, wrap
from ...graph.tracing.trace import RootBuilder, tracing_into
from .builder import unsupported
from .builder.builder import Builder, Value
from .builder.call import COMPOSITIONS, FUNCTIONS, LISTS, METHODS, OPS, Call
from .builder.values import Empty, Items, coerce

Rule = Callable[..., Any]


class Emitter:
    """Walks graphs and emits each node into the current ONNX graph.

    `b` builds the current ONNX graph. `values` maps each node to its `Value`, a list or tuple of values, or
    an iterable. The value of a node with several results is a tuple.
    """

    def __init__(self, builder: Builder):
        self.b = builder
        self.values: dict[Node, Any] = {}
        self._active_compositions: list[Any] = []
        self._results: dict[Node, dict[int, Any]] = {}

    # Graphs

    def graph(self, graph: Graph) -> list[Any]:
        """Emit the nodes that a graph's results and effects depend on, and return the results."""
        needed = _needed(graph)
        for node in graph.nodes:
            if node.op == "output" and node in needed:
                self._results.setdefault(node.inputs[0], {})[node.attrs["index"]] = node.type
        for node in graph.nodes:
            if node in needed:
                self.node(node)
        return [self.values[r] for r in graph.results]

    def node(self, node: Node) -> None:
        if not self._active_compositions:
            self.b.current_node = node
        errors = node.attrs.get("errstate") or {}
        if node.inputs and "raise" in errors.values():
            raise unsupported.unsupported_node(
                node,
                "the function was traced under np.errstate(...='raise'), which a model cannot reproduce",
                "test the values, and use 'raise' or 'assert'",
            )
        self.values[node] = self._emit(node)

    def _emit(self, node: Node) -> Any:
        is_list = any(isinstance(i.type, ListType) for i in node.inputs)
        rule = (LISTS.get(node.op) if is_list else None) or OPS.get(node.op)
        if rule is not None:
            return rule(self, node)
        function: Any = UFUNCS.get(node.op) or node.attrs.get("function")
        rule = self.find_rule(function)
        if rule is None:
            definition = COMPOSITIONS.get(function) or DEFINITIONS.get(function)
            if definition is None or function in (np.gradient, *self._active_compositions):
                raise unsupported.no_rule(node)
            return self.emit_composition(node, definition)
        args, kwargs = self.arguments(node)
        call = Call(self.b, node)
        try:
            inspect.signature(rule).bind(call, *args, **kwargs)
        except TypeError:
            raise unsupported.unsupported_options(node, "these arguments") from None
        return self.cast_result(node, rule(call, *args, **kwargs))

    def result_types(self, node: Node) -> dict[int, Any]:
        """Return the types of the used results of a conditional."""
        return dict(sorted(self._results.get(node, {}).items()))

    def find_rule(self, function: Any) -> Rule | None:
        owner = getattr(function, "__self__", None)
        if isinstance(owner, np.ufunc):
            return METHODS.get((owner, function.__name__))
        return FUNCTIONS.get(function)

    def cast_result(self, node: Node, result: Any) -> Any:
        """Cast a rule's result to the type of the node."""
        if isinstance(result, Value) and isinstance(node.type, (ArrayType, ScalarType)):
            result = coerce(self.b, result, node.type)
            ndim = node.type.ndim if isinstance(node.type, ArrayType) else 0
            if result.ndim != ndim:
                raise unsupported.unsupported_options(node, "these arguments")
        if isinstance(result, tuple) and node.type is None:
            kinds = self._results.get(node, {})
            return tuple([coerce(self.b, v, kinds[n]) if n in kinds else v for n, v in enumerate(result)])
        return result

    # Arguments

    def inputs(self, node: Node) -> list[Any]:
        return [self.values[i] for i in node.inputs]

    def arguments(self, node: Node) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """Return the arguments of a node's call, with the values of the inputs in their slots."""
        inputs = [self.argument(i) for i in node.inputs]
        args = node.attrs.get("args")
        if args is None:
            return tuple(inputs), {}
        return fill_slots(args, inputs), fill_slots(node.attrs.get("kwargs", {}), inputs)

    def argument(self, node: Node) -> Any:
        """Return a node's value as a function argument: Python numbers become weak, lists become arrays."""
        result = self.values[node]
        if isinstance(result, Items):
            return result.tensor
        if isinstance(result, Empty):
            if self.b.current_node.op not in ("numpy.array", "numpy.asarray"):
                raise unsupported.unsupported_options(self.b.current_node, "an empty list")
            return self.b.constant(np.zeros(0), None)
        if isinstance(result, Value) and isinstance(node.type, ScalarType) and not result.weak:
            return Value(result.name, result.dtype, result.ndim, weak=True, constant=result.constant)
        return result

    # Compositions

    def emit_composition(self, node: Node, definition: Rule) -> Any:
        """Trace the definition of a function, and emit its nodes in place of the call."""
        graph, is_multi_result = self._trace_definition(node, definition)
        self.values.update(zip(graph.arguments, self.inputs(node), strict=True))
        self._active_compositions.append(node.attrs.get("function"))
        result = self.graph(graph)
        self._active_compositions.pop()
        return self.cast_result(node, tuple(result) if is_multi_result else result[0])

    def _trace_definition(self, node: Node, definition: Rule) -> tuple[Graph, bool]:
        builder = RootBuilder(node.op, may_create=False)
        with tracing_into(builder, BACKENDS[Tensor]):
            inputs = [wrap(builder.argument(i.type, f"x{n}"), builder) for n, i in enumerate(node.inputs)]
            arrays = self._as_floats(node, [
                recording.call(np.array, (v,), {}) if isinstance(i.type, ListType) else v
                for v, i in zip(inputs, node.inputs, strict=True)
            ])  # fmt: skip
            args = fill_slots(node.attrs.get("args", tuple(map(Slot, range(len(arrays))))), arrays)
            try:
                result = definition(*args, **fill_slots(node.attrs.get("kwargs", {}), arrays))
            except Exception as error:
                raise unsupported.no_rule(node) from error
            is_multi_result = node.type is None
            results = result if is_multi_result else [result]
            builder.graph.results += map(recording.to_node, results)
        dtypes = [getattr(t, "dtype", None) for t in (builder.graph.results[0].type, node.type)]
        if not is_multi_result and dtypes[0] != dtypes[1]:
            raise unsupported.no_rule(node)
        optimise(builder.graph, ALL)
        return builder.graph, is_multi_result

    def _as_floats(self, node: Node, arrays: list[Any]) -> list[Any]:
        """Convert arguments to the floating dtype of the result, as NumPy does.

        The definitions used here were written for gradients, which take floats of a single dtype. Integers
        passed alongside floats may be indices, so they are converted only for ufuncs.
        """
        dtype = getattr(node.type, "dtype", None)
        dtypes = [getattr(getattr(a, "type", None), "dtype", None) for a in arrays]
        if dtype is None or dtype.kind != "f":
            return arrays
        convert_all = isinstance(node.attrs.get("function"), np.ufunc) or all(
            d is None or d.kind != "f" for d in dtypes
        )
        return [
            recording.cast(a, ArrayType(dtype, a.type.shape))
            if d is not None and (convert_all or d.kind == "f")
            else a
            for a, d in zip(arrays, dtypes, strict=True)
        ]


def _needed(graph: Graph) -> set[Node]:
    """Return the nodes that results and effects depend on, except the operands of error messages."""
    needed: set[Node] = set()
    queue = list(graph.results)
    queue += [node for node in graph.nodes if node.effect]
    while queue:
        node = queue.pop()
        if node not in needed:
            needed.add(node)
            queue += () if node.op == "raise" else node.inputs
    return needed
