"""Verify that a graph is well formed: its ops, inputs, attributes and types.

`verify` runs no node. It accepts every graph that a trace or an optimization produces. It protects the
compiler from untrusted files: the Python code of a verified graph contains no text from the file other than
checked names and literals.
"""

from __future__ import annotations

import keyword
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ...errors import FormatError
from ..ir.expressions import RANDOM_OPS
from ..ir.graph import Graph, Missing, Node, Slot
from ..ir.types import (
    NULLABLE_TYPES,
    AlternativesType,
    ArrayType,
    GeneratorType,
    InstanceType,
    ListType,
    ObjectType,
    OptionalType,
    ScalarType,
    TupleType,
)
from .names import FUNCTION_OF, ITERATED, name_of, op_of
from .op_schema import CALL, ERROR_STATES, ITERABLES, OPS, RESULT_COUNTS, UNTYPED, OpSchema
from .type_agreement import TYPE_INFERENCE, are_compatible
from .values import MAX_DEPTH

_PLAIN = (ArrayType, ScalarType, ListType, TupleType, ObjectType, AlternativesType, GeneratorType)
STAGED = (*_PLAIN, InstanceType, *NULLABLE_TYPES)


def verify(graph: Graph, at: str = "graph") -> None:
    """Raise `FormatError`, with the location in the file, if a graph is not well formed.

    Inner graphs and called graphs are verified, too.
    """
    verifier = _Verifier()
    for i, part in enumerate(graph.program()):
        verifier.graph(part, f"{at}.called[{i - 1}]" if i else at, 0)


class _Verifier:
    def __init__(self) -> None:
        self.at = ""
        self.seen: set[Node] = set()

    def require(self, condition: object, problem: str) -> None:
        if not condition:
            raise FormatError(f"{self.at}: {problem}")

    def graph(self, graph: Graph, at: str, depth: int) -> None:
        self.at = at
        self.require(depth <= MAX_DEPTH, f"graphs are nested more than {MAX_DEPTH} levels deep")
        self.require(_is_name(graph.name), "the name of the graph is not a printable line of text")
        defined: set[Node] = set()
        for i, argument in enumerate(graph.arguments):
            self.at = f"{at}.arguments[{i}]"
            self.require(argument.op == "argument" and set(argument.attrs) == {"name"}, "not an argument")
            self.require(
                _is_name(argument.attrs["name"]), "the name of the argument is not a printable line of text"
            )
            self.require(isinstance(argument.type, STAGED), "the argument has no type")
            self.require(argument not in self.seen, "the argument occurs twice")
            defined.add(argument)
            self.seen.add(argument)
        for i, node in enumerate(graph.nodes):
            self.at = f"{at}.nodes[{i}] ({node.op})"
            self.node(node, defined, f"{at}.nodes[{i}]", depth)
            self.require(node not in self.seen, "the node occurs twice")
            defined.add(node)
            self.seen.add(node)
        self.at = at
        for result in graph.results:
            self.require(result in defined, "a result is not defined")
            self.require(_is_value(result), f"{result.op} has no value that can be a result")

    def node(self, node: Node, defined: set[Node], at: str, depth: int) -> None:
        schema = OPS.get(node.op) or self.call_schema(node)
        for i in node.inputs:
            self.require(i in defined, "an input is not defined before it is used")
            accepts_iterable = node.op in ("output", *TAKE_ITERABLES) or (
                node.op == "cond" and i.op == "range"
            )
            self.require(_is_value(i) or accepts_iterable, f"the input {i.op} is not a single value")
            self.require(i.op not in ("print", "raise"), f"the input {i.op} has no value")
        low, high = schema.inputs
        count = len(node.inputs)
        expected = f"{low}" if low == high else f"at least {low}" if high is None else f"{low} to {high}"
        self.require(low <= count and (high is None or count <= high), f"has {count} inputs, not {expected}")
        self.attributes(node, schema)
        self.require(type(node.effect) is bool, "effect is not a boolean")
        self.require(not schema.effect or node.effect, "has an effect, but `effect` is not true")
        if node.op in UNTYPED or (node.op == "constant" and node.attrs["value"] is Missing.VALUE):
            self.require(node.type is None, "must not have a type")
        else:
            may_lack = schema.is_multi_result or node.op == "reference_update"
            self.require(isinstance(node.type, STAGED) or (node.type is None and may_lack), "has no type")
        for name in schema.graphs:
            self.graph(node.attrs[name], f"{at}.{name}", depth + 1)
            self.at = f"{at} ({node.op})"
            has_effect = any(inner.effect for inner in node.attrs[name].nodes)
            self.require(node.effect or not has_effect, "contains an effect, but `effect` is not true")
        self.types(node)

    def call_schema(self, node: Node) -> OpSchema:
        function = node.attrs.get("function")
        self.require(name_of(function) is not None, "the op is unknown")
        self.require(op_of(function) == node.op, f"the op does not match the function {name_of(function)}")
        return CALL

    def attributes(self, node: Node, schema: OpSchema) -> None:
        attrs = {k: v for k, v in node.attrs.items() if k != "source"}
        errors = attrs.pop("errstate", None)
        if errors is not None:
            is_errstate = isinstance(errors, dict) and all(
                k in ERROR_STATES and v in ERROR_STATES[k] for k, v in errors.items()
            )
            self.require(is_errstate, "errstate is not a valid NumPy error state")
        if node.op in FUNCTION_OF:
            is_function = attrs.pop("function", None) == FUNCTION_OF[node.op]
            self.require(is_function, "the function does not match the op")
        elif node.op == "iterate":
            self.require(attrs.pop("function", None) in ITERATED.values(), "does not build a list or tuple")
        elif schema is CALL:
            attrs.pop("function")
        missing = schema.attrs.keys() - schema.optional - attrs.keys()
        self.require(not missing, f"the attribute {', '.join(sorted(missing))} is missing")
        for name, value in attrs.items():
            self.require(name in schema.attrs, f"the attribute {name!r} is unknown")
            self.require(schema.attrs[name](value), f"the attribute {name} is invalid")
        for slot in _slots_in([attrs.get(name) for name in ("args", "kwargs", "key")]):
            self.require(slot.index < len(node.inputs), "a slot refers to a missing input")
        if node.op == "raise":
            raised, _, fields = attrs["args"]
            self.require(
                isinstance(raised, type) and issubclass(raised, Exception), "does not raise an exception"
            )
            self.require(_has_text_keys(fields), "an attribute name of the exception is not text")
        if node.op in RANDOM_OPS:
            drawer, method, _, kwargs = attrs["args"]
            is_generator = not isinstance(drawer, Slot) or isinstance(
                node.inputs[drawer.index].type, GeneratorType
            )
            self.require(
                is_generator and node.op == f"random.{method}" and _has_text_keys(kwargs),
                "does not draw from a generator",
            )
        for name in attrs.get("kwargs", {}):
            self.require(is_identifier(name), "a keyword of the call is not an identifier")

    # Types

    def types(self, node: Node) -> None:
        check: Callable[[_Verifier, Node], None] | None = getattr(type(self), f"check_{node.op}", None)
        if check is not None:
            check(self, node)
            return
        infer = TYPE_INFERENCE.get(node.op)
        if infer is None:
            return
        try:
            kind = infer(node)
        except Exception as error:  # noqa: BLE001 - type rules raise what NumPy raises for such operands
            raise FormatError(f"{self.at}: does not accept these inputs: {error}") from None
        if kind is not None:
            self.require(are_compatible(node.type, kind), f"is of type {kind}, not {node.type}")

    def pairs(self, what: str, first: Sequence[Node], second: Sequence[Node]) -> None:
        self.require(len(first) == len(second), f"has {len(first)} {what}, not {len(second)}")
        for i, (a, b) in enumerate(zip(first, second, strict=True)):
            self.require(
                are_compatible(a.type, b.type), f"{what}, index {i}: {a.type} and {b.type} are incompatible"
            )

    def check_constant(self, node: Node) -> None:
        value = node.attrs["value"]
        if isinstance(node.type, ScalarType):
            python = node.type.python  # a user's class, such as an enum, may be a subclass
            has_type = isinstance(value, python) and (type(value) is not bool or python is bool)
            self.require(has_type, f"the constant is not of type {node.type}")
        elif isinstance(node.type, ArrayType):
            has_type = isinstance(value, (np.ndarray, np.generic)) and are_compatible(
                node.type, ArrayType(value.dtype, value.shape)
            )
            self.require(has_type, f"the constant is not of type {node.type}")
        elif isinstance(node.type, OptionalType):
            self.require(value is None, f"the constant is not of type {node.type}")
        else:
            self.require(value is Missing.VALUE, "the constant is not a number, text or array")

    def check_output(self, node: Node) -> None:
        [source], index = node.inputs, node.attrs["index"]
        if source.op in RESULT_COUNTS:
            count = RESULT_COUNTS[source.op](source)
            self.require(index < count, f"selects result {index} of {source.op}, which has {count}")
        else:
            is_multi_result = isinstance(source.type, TupleType) or (
                source.type is None and OPS.get(source.op, CALL).is_multi_result
            )
            self.require(is_multi_result, f"selects a result of {source.op}, which has only one")
        if source.op == "call":
            result = source.attrs["graph"].results[index]
            self.require(
                are_compatible(node.type, result.type), "does not have the type of the called graph's result"
            )
        elif source.op == "cond":
            results = [source.attrs[g].results[index] for g in ("then", "orelse")]
            self.require(
                all(are_compatible(node.type, r.type) for r in results),
                "does not have the type of a branch's result",
            )
        elif source.op in ("while", "for"):
            result = source.attrs["body"].results[1 + index]
            self.require(
                are_compatible(node.type, result.type), "does not have the type of the body's result"
            )

    def check_call(self, node: Node) -> None:
        self.pairs("arguments", node.attrs["graph"].arguments, node.inputs)

    def check_cond(self, node: Node) -> None:
        then, orelse = node.attrs["then"], node.attrs["orelse"]
        for graph in (then, orelse):
            self.pairs("branch operands", graph.arguments, node.inputs[1:])
        self.require(
            len(then.results) == len(orelse.results), "the branches have different numbers of results"
        )

    def check_while(self, node: Node) -> None:
        self.loop(node, node.inputs[1:], node.attrs["body"].arguments)

    def check_for(self, node: Node) -> None:
        size, body = node.attrs["elements"], node.attrs["body"]
        leaves = _leaves(node.attrs["structure"])
        self.require(
            sorted(leaves) == list(range(size)), "the structure does not name each element part exactly once"
        )
        self.require(len(body.arguments) >= size, "the body has no arguments for the elements")
        self.require(_is_iterable(node.inputs[1]), f"{node.inputs[1].op} cannot be iterated")
        self.loop(node, node.inputs[2:], body.arguments[size:])

    def loop(self, node: Node, values: Sequence[Node], arguments: Sequence[Node]) -> None:
        carried, body = node.attrs["carried"], node.attrs["body"]
        self.require(carried <= len(values), "carries more values than it has inputs")
        self.pairs("body arguments", arguments, values)
        self.require(
            len(body.results) == 1 + carried, f"the body has {len(body.results)} results, not {1 + carried}"
        )
        self.pairs("carried results", body.results[1:], arguments[:carried])


TAKE_ITERABLES = frozenset(
    ("for", "enumerate", "zip", "reversed", "any", "all", "sum", "min", "max", "sorted", "iterate", "len",
     "contains")
)  # fmt: skip


def _is_value(node: Node) -> bool:
    missing = node.op == "constant" and node.attrs.get("value") is Missing.VALUE
    return node.type is not None or missing


def _is_iterable(node: Node) -> bool:
    if node.type is None:
        return node.op in ITERABLES
    return isinstance(node.type, ListType) or (isinstance(node.type, ArrayType) and node.type.ndim > 0)


def _is_name(value: Any) -> bool:
    return isinstance(value, str) and 0 < len(value) <= 10_000 and value.isprintable()


def is_identifier(value: Any) -> bool:
    return isinstance(value, str) and value.isidentifier() and not keyword.iskeyword(value)


def _has_text_keys(value: Any) -> bool:
    return isinstance(value, dict) and all(isinstance(k, str) for k in value)


def _slots_in(value: Any) -> list[Slot]:
    match value:
        case Slot():
            return [value]
        case tuple() | list():
            return [slot for part in value for slot in _slots_in(part)]
        case dict():
            return [slot for part in value.values() for slot in _slots_in(part)]
        case slice():
            return [slot for part in (value.start, value.stop, value.step) for slot in _slots_in(part)]
    return []


def _leaves(structure: Any) -> list[int]:
    if isinstance(structure, tuple):
        return [leaf for part in structure for leaf in _leaves(part)]
    return [structure]
