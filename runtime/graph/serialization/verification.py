"""Whether a graph is well formed: ops, inputs, attributes and types.

`verify` runs no node. It accepts whatever a trace or an optimisation leaves, and stands between a file
and the compiler: a graph that passes compiles to Python in which no text of the graph stands but
names that were checked and literals.
"""

from __future__ import annotations

import keyword
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..errors import FormatError
from .agreement import TYPERS, agree
from .effects import DRAWS
from .ir import Graph, Missing, Node, Slot
from .names import FUNCTION_OF, ITERATED, name_of, op_of
from .ops import CALL, ERROR_STATES, ITERABLES, MANY, OPS, UNTYPED, Kind
from .types import ArrayType, GeneratorType, ListType, MaybeType, ScalarType, TupleType
from .values import DEEPEST

STAGED = (ArrayType, ScalarType, ListType, TupleType, MaybeType, GeneratorType)


def verify(graph: Graph, at: str = "graph") -> None:
    """Check a graph and the graphs inside it.

    Raises:
        FormatError: it is not well formed; the text names the place as a file has it.
    """
    _Verifier().graph(graph, at, 0)


class _Verifier:
    def __init__(self) -> None:
        self.at = ""
        self.seen: set[Node] = set()

    def wrong(self, what: str) -> FormatError:
        return FormatError(f"{self.at}: {what}")

    def need(self, holds: object, what: str) -> None:
        if not holds:
            raise self.wrong(what)

    def graph(self, graph: Graph, at: str, depth: int) -> None:
        self.at = at
        self.need(depth <= DEEPEST, f"graphs are nested more than {DEEPEST} deep")
        self.need(_is_name(graph.name), "the name of a graph is a line of text")
        known: set[Node] = set()
        for i, argument in enumerate(graph.arguments):
            self.at = f"{at}.arguments[{i}]"
            self.need(argument.op == "argument" and set(argument.attrs) == {"name"}, "no argument")
            self.need(_is_name(argument.attrs["name"]), "the name of an argument is a line of text")
            self.need(isinstance(argument.type, STAGED), "an argument has a type")
            self.need(argument not in self.seen, "an argument stands in two places")
            known.add(argument)
            self.seen.add(argument)
        for i, node in enumerate(graph.nodes):
            self.at = f"{at}.nodes[{i}] ({node.op})"
            self.node(node, known, f"{at}.nodes[{i}]", depth)
            self.need(node not in self.seen, "a node stands in two places")
            known.add(node)
            self.seen.add(node)
        self.at = at
        for result in graph.results:
            self.need(result in known, "a result is not defined")
            self.need(_is_value(result), f"the result of {result.op} is no value")

    def node(self, node: Node, known: set[Node], at: str, depth: int) -> None:
        kind = OPS.get(node.op) or self.call(node)
        for i in node.inputs:
            self.need(i in known, "an input is not defined before it is used")
            takes = node.op in ("output", *TAKE_ITERABLES) or (node.op == "cond" and i.op == "range")
            self.need(_is_value(i) or takes, f"{i.op} gives no single value")
            self.need(i.op not in ("print", "raise"), f"{i.op} gives no value")
        low, high = kind.inputs
        count = len(node.inputs)
        wanted = f"{low}" if low == high else f"at least {low}" if high is None else f"{low} to {high}"
        self.need(low <= count and (high is None or count <= high), f"has {count} inputs, not {wanted}")
        self.attributes(node, kind)
        self.need(type(node.effect) is bool, "effect is true or false")
        self.need(not kind.effect or node.effect, "has an effect and does not say so")
        if node.op in UNTYPED or (node.op == "constant" and node.attrs["value"] is Missing.VALUE):
            self.need(node.type is None, "has no type")
        else:
            self.need(isinstance(node.type, STAGED) or (node.type is None and kind.several), "lacks its type")
        for name in kind.graphs:
            self.graph(node.attrs[name], f"{at}.{name}", depth + 1)
            self.at = f"{at} ({node.op})"
            acts = any(inner.effect for inner in node.attrs[name].nodes)
            self.need(node.effect or not acts, "holds an effect and does not say so")
        self.types(node)

    def call(self, node: Node) -> Kind:
        function = node.attrs.get("function")
        self.need(name_of(function) is not None, "the op is not known")
        self.need(op_of(function) == node.op, f"the op is not that of the function {name_of(function)}")
        return CALL

    def attributes(self, node: Node, kind: Kind) -> None:
        attrs = {k: v for k, v in node.attrs.items() if k != "source"}
        errors = attrs.pop("errstate", None)
        if errors is not None:
            fits = isinstance(errors, dict) and all(
                k in ERROR_STATES and v in ERROR_STATES[k] for k, v in errors.items()
            )
            self.need(fits, "errstate says how NumPy treats divide, over, under and invalid")
        if node.op in FUNCTION_OF:
            self.need(
                attrs.pop("function", None) == FUNCTION_OF[node.op], "the function is not that of the op"
            )
        elif node.op == "iterate":
            self.need(attrs.pop("function", None) in ITERATED.values(), "makes a list or tuple")
        elif kind is CALL:
            attrs.pop("function")
        missing = kind.attrs.keys() - kind.optional - attrs.keys()
        self.need(not missing, f"lacks {', '.join(sorted(missing))}")
        for name, value in attrs.items():
            self.need(name in kind.attrs, f"the attribute {name!r} is not known")
            self.need(kind.attrs[name](value), f"the attribute {name} is wrong")
        self.slots(node, attrs)
        if node.op == "raise":
            raised, _, fields = attrs["args"]
            self.need(isinstance(raised, type) and issubclass(raised, Exception), "raises no exception")
            self.need(_names(fields), "the fields of an exception have names")
        if node.op in DRAWS:
            drawer, method, _, named = attrs["args"]
            fits = not isinstance(drawer, Slot) or isinstance(node.inputs[drawer.index].type, GeneratorType)
            self.need(fits and node.op == f"random.{method}" and _names(named), "draws from no generator")
        for name in attrs.get("kwargs", {}):
            self.need(is_identifier(name), "a keyword of the call is no name")

    def slots(self, node: Node, attrs: dict[str, Any]) -> None:
        for name in ("args", "kwargs", "key"):
            for slot in _slots(attrs.get(name)):
                self.need(slot.index < len(node.inputs), "a slot stands for an input that there is not")

    # Types

    def types(self, node: Node) -> None:
        check: Callable[[_Verifier, Node], None] | None = getattr(type(self), f"check_{node.op}", None)
        if check is not None:
            check(self, node)
            return
        typer = TYPERS.get(node.op)
        if typer is None:
            return
        try:
            kind = typer(node)
        except Exception as error:  # noqa: BLE001 - rules raise what NumPy would for such operands
            raise self.wrong(f"takes no such inputs: {error}") from None
        if kind is not None:
            self.need(agree(node.type, kind), f"is of type {kind}, not {node.type}")

    def pairs(self, what: str, one: Sequence[Node], other: Sequence[Node]) -> None:
        self.need(len(one) == len(other), f"{len(one)} {what}, not {len(other)}")
        for i, (a, b) in enumerate(zip(one, other, strict=True)):
            self.need(agree(a.type, b.type), f"{what} {i}: {a.type} and {b.type} do not agree")

    def check_constant(self, node: Node) -> None:
        value = node.attrs["value"]
        if isinstance(node.type, ScalarType):
            python = node.type.python  # a class of the user, such as an enum, may derive from it
            fits = isinstance(value, python) and (type(value) is not bool or python is bool)
            self.need(fits, f"a constant of type {node.type} is another")
        elif isinstance(node.type, ArrayType):
            fits = isinstance(value, (np.ndarray, np.generic)) and agree(
                node.type, ArrayType(value.dtype, value.shape)
            )
            self.need(fits, f"a constant of type {node.type} is another")
        else:
            self.need(value is Missing.VALUE, "a constant is a number, text or array")

    def check_output(self, node: Node) -> None:
        [source], index = node.inputs, node.attrs["index"]
        if source.op in MANY:
            count = MANY[source.op](source)
            self.need(index < count, f"takes result {index} of {count}")
        else:
            several = isinstance(source.type, TupleType) or (
                source.type is None and OPS.get(source.op, CALL).several
            )
            self.need(several, f"{source.op} has no results to take one of")
        if source.op == "cond":
            sides = [source.attrs[g].results[index] for g in ("then", "orelse")]
            self.need(all(agree(node.type, s.type) for s in sides), "is not of the type that a branch gives")
        elif source.op in ("while", "for"):
            result = source.attrs["body"].results[1 + index]
            self.need(agree(node.type, result.type), "is not of the type that the body gives")

    def check_cond(self, node: Node) -> None:
        then, orelse = node.attrs["then"], node.attrs["orelse"]
        for graph in (then, orelse):
            self.pairs("operands of a branch", graph.arguments, node.inputs[1:])
        self.need(len(then.results) == len(orelse.results), "the branches have not as many results")

    def check_while(self, node: Node) -> None:
        self.loop(node, node.inputs[1:], node.attrs["body"].arguments)

    def check_for(self, node: Node) -> None:
        size, body = node.attrs["elements"], node.attrs["body"]
        leaves = _leaves(node.attrs["structure"])
        self.need(sorted(leaves) == list(range(size)), "the structure names not every part of an item once")
        self.need(len(body.arguments) >= size, "the body takes no items")
        self.need(_is_iterable(node.inputs[1]), f"{node.inputs[1].op} cannot be iterated")
        self.loop(node, node.inputs[2:], body.arguments[size:])

    def loop(self, node: Node, values: Sequence[Node], arguments: Sequence[Node]) -> None:
        carried, body = node.attrs["carried"], node.attrs["body"]
        self.need(carried <= len(values), "carries more than it is given")
        self.pairs("values of a body", arguments, values)
        self.need(
            len(body.results) == 1 + carried, f"the body has {len(body.results)} results, not {1 + carried}"
        )
        self.pairs("values of the next round", body.results[1:], arguments[:carried])


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


def _names(value: Any) -> bool:
    return isinstance(value, dict) and all(isinstance(k, str) for k in value)


def _slots(value: Any) -> list[Slot]:
    match value:
        case Slot():
            return [value]
        case tuple() | list():
            return [slot for part in value for slot in _slots(part)]
        case dict():
            return [slot for part in value.values() for slot in _slots(part)]
        case slice():
            return [slot for part in (value.start, value.stop, value.step) for slot in _slots(part)]
    return []


def _leaves(structure: Any) -> list[int]:
    if isinstance(structure, tuple):
        return [leaf for part in structure for leaf in _leaves(part)]
    return [structure]
