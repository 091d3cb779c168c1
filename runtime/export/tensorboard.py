"""Graphs for TensorBoard: an events file with a `GraphDef`, which its graph page draws.

A `/` in the name of a node separates name scopes. A conditional or loop is a scope that contains a scope for
each inner graph, and the node itself, which has the results of the inner graphs among its inputs. A graph
that `call` nodes call is a scope of its own.
"""

from __future__ import annotations

import io
import re
import socket
import time
from collections.abc import Iterable
from typing import Any

from ..errors import import_framework
from ..files.writing import checked_folder, write
from ..graph.ir.graph import GRAPH_METHODS, Graph, Node
from ..graph.ir.printer import Printer
from ..graph.ir.subgraphs import argument_sources, called_names
from ..graph.ir.types import ArrayType, ScalarType

_DTYPES = {
    "bool": "DT_BOOL", "int8": "DT_INT8", "int16": "DT_INT16", "int32": "DT_INT32", "int64": "DT_INT64",
    "uint8": "DT_UINT8", "uint16": "DT_UINT16", "uint32": "DT_UINT32", "uint64": "DT_UINT64",
    "float16": "DT_HALF", "float32": "DT_FLOAT", "float64": "DT_DOUBLE", "complex64": "DT_COMPLEX64",
    "complex128": "DT_COMPLEX128",
}  # fmt: skip
"""The names that `GraphDef` has for dtypes."""
_OPS = {"constant": "Const", "argument": "Placeholder"}
"""The ops that TensorBoard draws in a way of its own."""


class _Exporter:
    """Add the nodes of a graph to a `GraphDef`."""

    def __init__(self, graph: Graph, definition: Any) -> None:
        self.definition = definition
        self._taken: set[str] = set()
        self.called = {called: self._unique("", name) for called, name in called_names(graph).items()}
        self._printer = Printer({}, self.called)
        self._names = self._printer.names
        for part in (graph, *self.called):
            scope = f"{self.called[part]}/" if part in self.called else ""
            for argument in part.arguments:
                self._add(scope, argument, argument.attrs["name"])
            self._add_graph(scope, part)

    def _add_graph(self, scope: str, graph: Graph) -> str:
        """Add the nodes of a graph whose arguments have names; return the name of its `return` node."""
        for node in graph.nodes:
            inner_graphs = list(node.graphs())
            if not inner_graphs:
                self._add(scope, node, node.op, map(self._name, node.inputs))
                continue
            inner_scope = f"{self._unique(scope, node.op)}/"
            ends, passed_inside = [], set()
            for inner in inner_graphs:
                graph_scope = f"{self._unique(inner_scope, inner.name)}/"
                for _, value, argument in argument_sources(node, inner):
                    passed_inside.add(value)
                    stem = self._name(value).rpartition("/")[2]
                    self._add(graph_scope, argument, stem, [self._name(value)], op="same")
                ends.append(self._add_graph(graph_scope, inner))
            others = [self._name(value) for value in node.inputs if value not in passed_inside]
            self._add(inner_scope, node, node.op, [*others, *ends])
        name = self._unique(scope, "return")
        self.definition.node.add(name=name, op="return", input=map(self._name, graph.results))
        return name

    def _name(self, node: Node) -> str:
        return self._names[node]

    def _unique(self, scope: str, stem: str) -> str:
        """Return a name that no other node or scope has, in characters that names may have."""
        stem = scope + re.sub(r"[^A-Za-z0-9_.-]", "_", stem)
        name, count = stem, 1
        while name in self._taken:
            count += 1
            name = f"{stem}_{count}"
        self._taken.add(name)
        return name

    def _add(self, scope: str, node: Node, stem: str, inputs: Iterable[str] = (), *, op: str = "") -> None:
        name = self._unique(scope, stem)
        added = self.definition.node.add(name=name, op=op or _OPS.get(node.op, node.op), input=inputs)
        attributes = {} if node.op == "argument" else {"expression": self._printer.expression(node)}
        self._names[node] = name
        if node.type is not None:
            attributes["type"] = str(node.type)
            self._add_type(added, node.type)
        for place in node.places[-1:]:
            attributes |= {"source": str(place), "code": place.text}
        for key, text in attributes.items():
            added.attr[key].s = text.encode(errors="replace")

    def _add_type(self, added: Any, kind: Any) -> None:
        if isinstance(kind, ArrayType) and kind.dtype.name in _DTYPES:
            field = added.attr["dtype"].DESCRIPTOR.fields_by_name["type"]
            added.attr["dtype"].type = field.enum_type.values_by_name[_DTYPES[kind.dtype.name]].number
        if isinstance(kind, (ArrayType, ScalarType)):
            shape = added.attr["_output_shapes"].list.shape.add()
            for size in kind.shape if isinstance(kind, ArrayType) else ():
                shape.dim.add(size=-1 if size is None else size)


def to_tensorboard(graph: Graph, folder: Any) -> None:
    """Write an events file of a graph to a folder."""
    import_framework("tensorboard", "to_tensorboard")
    from tensorboard.compat.proto import event_pb2, graph_pb2  # noqa: PLC0415 - an optional package
    from tensorboard.summary.writer.record_writer import RecordWriter  # noqa: PLC0415

    path = checked_folder(folder)
    definition = graph_pb2.GraphDef()
    _Exporter(graph, definition)
    now, data = time.time(), io.BytesIO()
    records = RecordWriter(data)
    for content in ({"file_version": "brain.Event:2"}, {"graph_def": definition.SerializeToString()}):
        records.write(event_pb2.Event(wall_time=now, **content).SerializeToString())
    write(path / f"events.out.tfevents.{time.time_ns():020}.{socket.gethostname()}", data.getvalue())


GRAPH_METHODS["tensorboard"] = to_tensorboard
