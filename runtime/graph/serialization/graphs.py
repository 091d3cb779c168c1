"""Graphs as JSON, and back. `docs/graph-format.md` says what each key means.

Nodes are numbered in each graph by itself, arguments first; an input is the number of a node before.
"""

from __future__ import annotations

import hashlib
import json
import math
import platform
from collections import Counter
from typing import Any, NoReturn

import numpy as np

from ..errors import DamagedFileError, FormatError, SaveError, VersionError
from ..places import Place
from .ir import Graph, Node
from .names import CALLS, EXCEPTIONS, FUNCTION_OF, ITERATED, exception_name, name_of, op_of
from .ops import CALL, OPS
from .reading import (
    chosen,
    decode,
    decode_type,
    expect,
    expect_size,
    expect_text,
    no_graph,
    only,
    wrong,
)
from .types import ScalarType
from .values import NotSavable, encode, encode_type
from .verify import verify

FORMAT, VERSION = "autograph_rs graph", 1


# --- to JSON ----------------------------------------------------------------------------------


class Writer:
    """Writes graphs that share a table of places."""

    def __init__(self, *, source: bool = True):
        self.source = source
        self.places: dict[Place, int] = {}

    def graph(self, graph: Graph) -> dict[str, Any]:
        numbers: dict[Node, int] = {}
        arguments = [{"name": a.attrs["name"], "type": _type(a, graph)} for a in graph.arguments]
        numbers.update((a, i) for i, a in enumerate(graph.arguments))
        nodes = []
        for node in graph.nodes:
            nodes.append(self.node(node, numbers, graph))
            numbers[node] = len(numbers)
        results = [numbers[r] for r in graph.results]
        return {"name": graph.name, "arguments": arguments, "nodes": nodes, "results": results}

    def node(self, node: Node, numbers: dict[Node, int], graph: Graph) -> dict[str, Any]:
        attrs = {k: v for k, v in node.attrs.items() if k not in ("source", "function")}
        made: dict[str, Any] = {"op": _op(node, graph)}
        if node.inputs:
            made["inputs"] = [numbers[i] for i in node.inputs]
        if node.type is not None:
            made["type"] = _type(node, graph)
        if node.effect:
            made["effect"] = True
        for key, inner in list(attrs.items()):
            if isinstance(inner, Graph):
                made[key] = self.graph(attrs.pop(key))
        if node.op == "iterate":
            attrs["function"] = node.attrs["function"].__name__
        if node.op == "raise":
            kind, args, fields = attrs.pop("args")
            name = exception_name(kind)
            made["exception"] = name
            if EXCEPTIONS[name] is not kind:
                made["original"] = f"{kind.__module__}.{kind.__qualname__}"
            attrs["args"] = (args, fields)
        if node.op == "constant":
            attrs["value"] = _plain_scalar(node)
        if attrs:
            made["attrs"] = {key: _encoded(value, node, key, graph) for key, value in attrs.items()}
        if self.source and node.source:
            made["at"] = [self.places.setdefault(p, len(self.places)) for p in node.places]
        return made

    def table(self) -> list[list[Any]]:
        return [list(place) for place in self.places]


def _op(node: Node, graph: Graph) -> str:
    if node.op in OPS:
        if OPS[node.op].unsaved:
            _refuse(node, graph, OPS[node.op].unsaved)
        return node.op
    name = name_of(node.attrs.get("function"))
    if name is None:
        _refuse(node, graph, "no file can name what it calls")
    return name


def _plain_scalar(node: Node) -> Any:
    """A constant's value; one of a class of the user, as an enum has, is what the graph takes it for."""
    value, kind = node.attrs["value"], node.type
    if not isinstance(kind, ScalarType) or type(value) is kind.python:
        return value
    python: Any = kind.python
    return python.__str__(value) if python is str else python.__pos__(value)


def _encoded(value: Any, node: Node, key: str, graph: Graph) -> Any:
    try:
        return encode(value)
    except NotSavable as reason:
        what = "it is a constant, and" if key == "value" else f"in its {key},"
        _refuse(node, graph, f"{what} {reason}")


def _type(node: Node, graph: Graph) -> Any:
    try:
        return encode_type(node.type)
    except NotSavable as reason:
        _refuse(node, graph, str(reason))


def _refuse(node: Node, graph: Graph, why: str) -> NoReturn:
    reason, _, remedy = why.partition(". ")
    raise SaveError(
        f"the node {node.op} of the graph {graph.name} cannot be saved: {reason}",
        why="a file holds plain values and calls of functions that it can name, and no code of Python",
        remedy=remedy or "do this outside of the function, or with what docs/graph-format.md lists",
        place=next(iter(node.places[-1:]), None),
    )


# --- from JSON --------------------------------------------------------------------------------


class Reader:
    """Reads graphs that share a table of places."""

    def __init__(self, places: Any, at: str = "places"):
        self.places = [_place(p, f"{at}[{i}]") for i, p in enumerate(expect(places, list, at))]

    def graph(self, data: Any, at: str) -> Graph:
        known = expect(data, dict, at)
        only(known, at, "name", "arguments", "nodes", "results")
        graph = Graph(expect_text(known.get("name"), f"{at}.name"))
        for i, argument in enumerate(expect(known.get("arguments"), list, f"{at}.arguments")):
            graph.arguments.append(_argument(argument, f"{at}.arguments[{i}]"))
        made = list(graph.arguments)
        for i, node in enumerate(expect(known.get("nodes"), list, f"{at}.nodes")):
            made.append(self.node(node, made, f"{at}.nodes[{i}]"))
            graph.nodes.append(made[-1])
        graph.results = _referred(known.get("results"), made, f"{at}.results")
        return graph

    def node(self, data: Any, made: list[Node], at: str) -> Node:
        known = expect(data, dict, at)
        op = expect(known.get("op"), str, f"{at}.op")
        kind = OPS.get(op, CALL)
        if kind.unsaved:
            raise wrong(f"{at}.op", f"{op} cannot stand in a file: {kind.unsaved}")
        extra = ("exception", "original") if op == "raise" else ()
        only(known, at, "op", "inputs", "type", "effect", "attrs", "at", *extra, *kind.graphs)
        if kind is CALL:
            function = chosen(op, CALLS, f"{at}.op", "op or function")
            op = op_of(function)
        inputs = _referred(known.get("inputs", []), made, f"{at}.inputs")
        attrs: dict[str, Any] = {}
        for key, value in expect(known.get("attrs", {}), dict, f"{at}.attrs").items():
            if key != "errstate" and key not in kind.attrs and (op, key) != ("iterate", "function"):
                raise wrong(f"{at}.attrs", f"{op} has no attribute {key[:40]!r}")
            attrs[key] = decode(value, f"{at}.attrs.{key}")
        if kind is CALL:
            attrs["function"] = function
        elif op == "iterate":
            attrs["function"] = chosen(attrs.get("function"), ITERATED, f"{at}.attrs.function", "collection")
        elif op in FUNCTION_OF:
            attrs["function"] = FUNCTION_OF[op]
        for name in kind.graphs:
            attrs[name] = self.graph(known.get(name), f"{at}.{name}")
        if op == "raise":
            attrs["args"] = _raised(known, attrs.get("args"), at)
        if op == "constant":
            attrs["source"] = attrs.get("value")
        node_type = decode_type(known.get("type"), f"{at}.type")
        source = self.source(known.get("at", []), f"{at}.at")
        effect = expect(known.get("effect", False), bool, f"{at}.effect")
        return Node(op, tuple(inputs), attrs, node_type, source, effect)

    def source(self, data: Any, at: str) -> tuple[Place, ...]:
        return tuple(_pick(n, self.places, at) for n in expect(data, list, at))


def _pick(number: Any, among: list[Any], at: str) -> Any:
    if expect_size(number, at) >= len(among):
        raise wrong(at, f"{number} is not defined before: there are {len(among)}")
    return among[number]


def _referred(data: Any, made: list[Node], at: str) -> list[Node]:
    return [_pick(number, made, f"{at}[{i}]") for i, number in enumerate(expect(data, list, at))]


def _argument(data: Any, at: str) -> Node:
    known = expect(data, dict, at)
    only(known, at, "name", "type")
    name = expect_text(known.get("name"), f"{at}.name")
    return Node("argument", (), {"name": name}, decode_type(known.get("type"), f"{at}.type"))


def _raised(known: dict[str, Any], args: Any, at: str) -> tuple[Any, ...]:
    kind = chosen(known.get("exception"), EXCEPTIONS, f"{at}.exception", "exception")
    if type(args) is not tuple or list(map(type, args)) != [tuple, dict]:
        raise wrong(f"{at}.attrs.args", "not the arguments and the fields of an exception")
    values, fields = args
    if "original" in known:
        original = expect_text(known["original"], f"{at}.original")
        fields = {**fields, "__notes__": [f"{original} when the graph was made"]}
    return kind, values, fields


def _place(data: Any, at: str) -> Place:
    kinds = list(map(type, expect(data, list, at)))
    if kinds != [str, int, int, int, int, str, str, str]:
        raise wrong(at, "not a file, four numbers, two names and a line")
    return Place(*data)


# --- one graph as text ------------------------------------------------------------------------


def graph_to_json(graph: Graph) -> str:
    writer = Writer()
    content = {"graph": writer.graph(graph), "places": writer.table()}
    return to_text(content)


def graph_from_json(text: str) -> Graph:
    content = from_text(text)
    only(content, "content", "graph", "places")
    graph = Reader(content.get("places")).graph(content.get("graph"), "graph")
    verify(graph)
    return graph


def to_text(content: dict[str, Any]) -> str:
    """The text of a file: its format and version, what made it, a checksum and the content."""
    made_by = {"numpy": np.__version__, "python": platform.python_version()}
    head = {"format": FORMAT, "version": VERSION, "made_by": made_by, "sha256": _checksum(content)}
    return json.dumps({**head, "content": content}, allow_nan=False) + "\n"


def from_text(text: str) -> dict[str, Any]:
    """The content of a file, after its head has been checked."""
    data = expect(parse(text), dict, "the whole")
    if data.get("format") != FORMAT:
        raise no_graph(f"format: {_shown(data.get('format'))}, not {FORMAT!r}")
    version = expect_size(data.get("version"), "version")
    if version > VERSION:
        raise VersionError(
            f"version: {version} is later than {VERSION}, which this autograph_rs reads",
            why="a later format may mean something else by the same words",
            remedy="use a later autograph_rs here, or save with this one",
        )
    if version < 1:
        raise no_graph("version: there is no version 0")
    only(data, "the whole", "format", "version", "made_by", "sha256", "content")
    content = expect(data.get("content"), dict, "content")
    if data.get("sha256") != _checksum(content):
        raise DamagedFileError(
            "sha256: the content is not what was written",
            why="the file is damaged or was edited",
            remedy="have it again from where it came, or save the function again",
        )
    return content


def _shown(value: Any) -> str:
    return "none" if value is None else repr(value)[:60]


def _checksum(content: Any) -> str:
    try:
        text = json.dumps(content, sort_keys=True, separators=(",", ":"), allow_nan=False)
    except RecursionError:
        raise no_graph("content: nested too deep") from None
    return hashlib.sha256(text.encode("ascii")).hexdigest()


def parse(text: str) -> Any:
    try:
        return json.loads(text, object_pairs_hook=_object, parse_constant=_no_constant, parse_float=_finite)
    except json.JSONDecodeError as error:
        raise no_graph(f"line {error.lineno}, column {error.colno}: no JSON: {error.msg}") from None
    except FormatError:
        raise
    except ValueError as error:
        raise no_graph(f"no JSON that can be read: {error}") from None
    except RecursionError:
        raise no_graph("nested too deep") from None


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) != len(pairs):
        [(key, _)] = Counter(k for k, _ in pairs).most_common(1)
        raise no_graph(f"the key {key[:40]!r} stands twice")
    return made


def _no_constant(name: str) -> NoReturn:
    raise no_graph(f"{name} is no JSON")


def _finite(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise no_graph(f"{text[:40]} is no number that can be read")
    return value
