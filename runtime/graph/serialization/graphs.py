"""Serialize graphs to JSON and back. `docs/graph-format.md` describes the keys.

Each graph numbers its own nodes, arguments first. An input is the number of an earlier node.
"""

from __future__ import annotations

import hashlib
import json
import math
import platform
from collections import Counter
from typing import Any, NoReturn

import numpy as np

from ...debugging.positions import CodePosition
from ...errors import DamagedFileError, FormatError, SaveError, VersionError, documentation
from ..ir.graph import GRAPH_METHODS, Graph, Node
from ..ir.types import ScalarType
from ..rules.tables import scipy_function
from .names import CALLS, EXCEPTIONS, FUNCTION_OF, ITERATED, exception_name, name_of, op_of
from .op_schema import CALL, OPS
from .reading import (
    check_keys,
    decode,
    decode_type,
    expect,
    expect_fields,
    expect_index,
    expect_items,
    expect_name,
    format_error,
    look_up,
    not_a_graph,
)
from .values import NotSerializable, encode, encode_type
from .verification import verify

FORMAT, VERSION = "autograph_rs graph", 1


# --- to JSON ----------------------------------------------------------------------------------


class GraphWriter:
    """Serializer for graphs that share a table of code positions. The table is empty unless `source`."""

    def __init__(self, *, source: bool = True):
        self.source = source
        self.places: dict[CodePosition, int] = {}
        self._called: dict[Graph, int] = {}

    def program(self, graph: Graph) -> dict[str, Any]:
        """Return a graph with the graphs that it calls."""
        called = graph.program()[1:]
        self._called = {part: i for i, part in enumerate(called)}
        data = self.graph(graph)
        if called:
            data["called"] = list(map(self.graph, called))
        return data

    def graph(self, graph: Graph) -> dict[str, Any]:
        arguments = [{"name": a.attrs["name"], "type": _encode_type(a, graph)} for a in graph.arguments]
        numbers = {a: i for i, a in enumerate(graph.arguments)}
        nodes = []
        for node in graph.nodes:
            nodes.append(self.node(node, numbers, graph))
            numbers[node] = len(numbers)
        results = [numbers[r] for r in graph.results]
        return {"name": graph.name, "arguments": arguments, "nodes": nodes, "results": results}

    def node(self, node: Node, numbers: dict[Node, int], graph: Graph) -> dict[str, Any]:
        attrs = {k: v for k, v in node.attrs.items() if k not in ("source", "function")}
        data: dict[str, Any] = {"op": _op_name(node, graph)}
        if node.inputs:
            data["inputs"] = [numbers[i] for i in node.inputs]
        if node.type is not None:
            data["type"] = _encode_type(node, graph)
        if node.effect:
            data["effect"] = True
        for key, inner in list(attrs.items()):
            if isinstance(inner, Graph):
                data[key] = self._called[inner] if node.op == "call" else self.graph(inner)
                del attrs[key]
        if node.op == "iterate":
            attrs["function"] = node.attrs["function"].__name__
        if node.op == "raise":
            kind, args, fields = attrs.pop("args")
            name = exception_name(kind)
            data["exception"] = name
            if EXCEPTIONS[name] is not kind:
                data["original"] = f"{kind.__module__}.{kind.__qualname__}"
            attrs["args"] = (args, fields)
        if node.op == "constant":
            attrs["value"] = _constant_value(node)
        if attrs:
            data["attrs"] = {key: _encode_attribute(value, node, key, graph) for key, value in attrs.items()}
        if self.source and node.source:
            data["at"] = [self.places.setdefault(p, len(self.places)) for p in node.places]
        return data

    def positions(self) -> list[list[Any]]:
        return [list(place) for place in self.places]


def _op_name(node: Node, graph: Graph) -> str:
    if node.op in OPS:
        if OPS[node.op].unsupported:
            raise _save_error(node, graph, OPS[node.op].unsupported)
        return node.op
    name = name_of(node.attrs.get("function"))
    if name is None:
        raise _save_error(node, graph, "the file format has no name for the function that it calls")
    return name


def _constant_value(node: Node) -> Any:
    """Return the value of a constant, with an instance of a subclass, such as an enum, as its base type."""
    value, kind = node.attrs["value"], node.type
    if not isinstance(kind, ScalarType) or type(value) is kind.python:
        return value
    python: Any = kind.python
    return python.__str__(value) if python is str else python.__pos__(value)


def _encode_attribute(value: Any, node: Node, key: str, graph: Graph) -> Any:
    try:
        return encode(value)
    except NotSerializable as reason:
        raise _save_error(node, graph, f"its {key} is not serializable: {reason}") from None


def _encode_type(node: Node, graph: Graph) -> Any:
    try:
        return encode_type(node.type)
    except NotSerializable as reason:
        raise _save_error(node, graph, str(reason)) from None


def _save_error(node: Node, graph: Graph, why: str) -> SaveError:
    reason, _, remedy = why.partition(". ")
    return SaveError(
        f"the node {node.op} of the graph {graph.name} cannot be saved: {reason}",
        why="a file contains plain values and calls to functions that the format names, but no Python code",
        remedy=remedy
        or "do this outside the function, or use operations that "
        f"{documentation('docs/graph-format.md')} lists",
        place=next(iter(node.places[-1:]), None),
    )


# --- from JSON --------------------------------------------------------------------------------


_GRAPH = ("name", "arguments", "nodes", "results")


class GraphReader:
    """Deserializer for graphs that share a table of code positions."""

    def __init__(self, places: Any, at: str = "places"):
        self.places = [_code_position(*item) for item in expect_items(places, at)]
        self._called: list[Graph] = []

    def program(self, data: Any, at: str) -> Graph:
        """Return a graph with the graphs that it calls."""
        fields = expect_fields(data, at, *_GRAPH, "called")
        called = expect_items(fields.get("called", []), f"{at}.called")
        self._called = [Graph("") for _ in called]
        for graph, (part, place) in zip(self._called, called, strict=True):
            vars(graph).update(vars(self.graph(part, place)))
        return self.graph({key: value for key, value in fields.items() if key != "called"}, at)

    def graph(self, data: Any, at: str) -> Graph:
        fields = expect_fields(data, at, *_GRAPH)
        graph = Graph(expect_name(fields.get("name"), f"{at}.name"))
        arguments = expect_items(fields.get("arguments"), f"{at}.arguments")
        graph.arguments.extend(_argument(*item) for item in arguments)
        nodes = list(graph.arguments)
        for node, place in expect_items(fields.get("nodes"), f"{at}.nodes"):
            nodes.append(self.node(node, nodes, place))
            graph.nodes.append(nodes[-1])
        graph.results = _nodes_at(fields.get("results"), nodes, f"{at}.results")
        return graph

    def node(self, data: Any, nodes: list[Node], at: str) -> Node:
        fields = expect(data, dict, at)
        op = expect(fields.get("op"), str, f"{at}.op")
        schema = OPS.get(op, CALL)
        if schema.unsupported:
            raise format_error(f"{at}.op", f"a file cannot contain {op}: {schema.unsupported}")
        extra = {"raise": ("exception", "original"), "call": ("graph",)}.get(op, ())
        check_keys(fields, at, "op", "inputs", "type", "effect", "attrs", "at", *extra, *schema.graphs)
        if schema is CALL:
            function = scipy_function(op) or look_up(op, CALLS, f"{at}.op", "op or function")
            op = op_of(function)
        inputs = _nodes_at(fields.get("inputs", []), nodes, f"{at}.inputs")
        attrs: dict[str, Any] = {}
        for key, value in expect(fields.get("attrs", {}), dict, f"{at}.attrs").items():
            if key != "errstate" and key not in schema.attrs and (op, key) != ("iterate", "function"):
                raise format_error(f"{at}.attrs", f"{op} has no attribute {key[:40]!r}")
            attrs[key] = decode(value, f"{at}.attrs.{key}")
        if schema is CALL:
            attrs["function"] = function
        elif op == "iterate":
            attrs["function"] = look_up(attrs.get("function"), ITERATED, f"{at}.attrs.function", "collection")
        elif op in FUNCTION_OF:
            attrs["function"] = FUNCTION_OF[op]
        for name in schema.graphs:
            attrs[name] = self.graph(fields.get(name), f"{at}.{name}")
        if op == "call":
            attrs["graph"] = _item_at(fields.get("graph"), self._called, f"{at}.graph")
        if op == "raise":
            attrs["args"] = _raise_args(fields, attrs.get("args"), at)
        if op == "constant":
            attrs["source"] = attrs.get("value")
        node_type = decode_type(fields.get("type"), f"{at}.type")
        source = self.positions(fields.get("at", []), f"{at}.at")
        effect = expect(fields.get("effect", False), bool, f"{at}.effect")
        return Node(op, tuple(inputs), attrs, node_type, source, effect)

    def positions(self, data: Any, at: str) -> tuple[CodePosition, ...]:
        return tuple(_item_at(n, self.places, at) for n in expect(data, list, at))


def _item_at(index: Any, items: list[Any], at: str) -> Any:
    if expect_index(index, at) >= len(items):
        raise format_error(at, f"item {index} is not defined at this point: only {len(items)} items are")
    return items[index]


def _nodes_at(data: Any, nodes: list[Node], at: str) -> list[Node]:
    return [_item_at(number, nodes, place) for number, place in expect_items(data, at)]


def _argument(data: Any, at: str) -> Node:
    fields = expect_fields(data, at, "name", "type")
    name = expect_name(fields.get("name"), f"{at}.name")
    return Node("argument", (), {"name": name}, decode_type(fields.get("type"), f"{at}.type"))


def _raise_args(data: dict[str, Any], args: Any, at: str) -> tuple[Any, ...]:
    kind = look_up(data.get("exception"), EXCEPTIONS, f"{at}.exception", "exception")
    if type(args) is not tuple or list(map(type, args)) != [tuple, dict]:
        raise format_error(
            f"{at}.attrs.args", "the arguments and attributes of an exception are expected here"
        )
    values, attributes = args
    if "original" in data:
        original = expect_name(data["original"], f"{at}.original")
        attributes = {**attributes, "__notes__": [f"the original exception class is {original}"]}
    return kind, values, attributes


def _code_position(data: Any, at: str) -> CodePosition:
    kinds = list(map(type, expect(data, list, at)))
    if kinds != [str, int, int, int, int, str, str, str]:
        raise format_error(at, "a file, four numbers, two names and a line of text are expected here")
    return CodePosition(*data)


# --- one graph as text ------------------------------------------------------------------------


def graph_to_json(graph: Graph) -> str:
    writer = GraphWriter()
    return to_text({"graph": writer.program(graph), "places": writer.positions()})


def graph_from_json(text: str) -> Graph:
    content = from_text(text)
    check_keys(content, "content", "graph", "places")
    graph = GraphReader(content.get("places")).program(content.get("graph"), "graph")
    verify(graph)
    return graph


def to_text(content: dict[str, Any]) -> str:
    """Return the text of a file: a header with a checksum, and the content."""
    made_by = {"numpy": np.__version__, "python": platform.python_version()}
    header = {"format": FORMAT, "version": VERSION, "made_by": made_by, "sha256": _checksum(content)}
    return json.dumps({**header, "content": content}, allow_nan=False) + "\n"


def from_text(text: str) -> dict[str, Any]:
    """Check the header of a file and return the content."""
    data = expect(_parse_json(text), dict, "the file")
    if data.get("format") != FORMAT:
        found = "none" if data.get("format") is None else repr(data["format"])[:60]
        raise not_a_graph(f"format: {found}, not {FORMAT!r}")
    version = expect_index(data.get("version"), "version")
    if version > VERSION:
        raise VersionError(
            f"version: {version} is later than {VERSION}, the latest that this autograph_rs reads",
            why="a later version may give the same keys a different meaning",
            remedy="upgrade autograph_rs, or save the function again with the installed version",
        )
    if version < 1:
        raise not_a_graph("version: 0 is not a version of the format")
    check_keys(data, "the file", "format", "version", "made_by", "sha256", "content")
    content = expect(data.get("content"), dict, "content")
    if data.get("sha256") != _checksum(content):
        raise DamagedFileError(
            "sha256: the checksum does not match the content",
            why="the file is damaged or was edited",
            remedy="copy the file again from its source, or save the function again",
        )
    return content


def _checksum(content: Any) -> str:
    try:
        text = json.dumps(content, sort_keys=True, separators=(",", ":"), allow_nan=False)
    except RecursionError:
        raise not_a_graph("content: nested too deeply") from None
    return hashlib.sha256(text.encode("ascii")).hexdigest()


def _parse_json(text: str) -> Any:
    try:
        return json.loads(
            text, object_pairs_hook=_unique_keys, parse_constant=_refuse_constant, parse_float=_parse_float
        )
    except json.JSONDecodeError as error:
        raise not_a_graph(f"line {error.lineno}, column {error.colno}: invalid JSON: {error.msg}") from None
    except FormatError:
        raise
    except ValueError as error:
        raise not_a_graph(f"unreadable JSON: {error}") from None
    except RecursionError:
        raise not_a_graph("nested too deeply") from None


def _unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    fields = dict(pairs)
    if len(fields) != len(pairs):
        [(key, _)] = Counter(k for k, _ in pairs).most_common(1)
        raise not_a_graph(f"the key {key[:40]!r} is duplicated")
    return fields


def _refuse_constant(name: str) -> NoReturn:
    raise not_a_graph(f"{name} is not valid JSON")


def _parse_float(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise not_a_graph(f"{text[:40]} is too large for a float")
    return value


GRAPH_METHODS.update(json=graph_to_json, from_json=graph_from_json)
