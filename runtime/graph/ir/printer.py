"""Print a graph as text: one line per node, beside the user's source line. Called graphs follow."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any

import numpy as np

from .expressions import GENERATORS
from .graph import GRAPH_METHODS, Graph, Node, Slot
from .subgraphs import argument_sources, called_names

SOURCE_COLUMN, MAX_SOURCE_LENGTH = 60, 80


class Printer:
    """Text of nodes, with the names of values in `names`."""

    def __init__(self, marks: Mapping[Node, str], called: Mapping[Graph, str]) -> None:
        self.marks, self.called = marks, called
        self.names: dict[Node, str] = {}

    def lines(self, graph: Graph, indent: str, labels: Sequence[str]) -> Iterator[str]:
        """Yield the lines of a graph whose arguments are printed as `labels`."""
        head = ", ".join(f"{label}: {a.type}" for label, a in zip(labels, graph.arguments, strict=True))
        for argument, label in zip(graph.arguments, labels, strict=True):
            self.names[argument] = label.split(" ", 1)[0] if indent else label
        yield f"{indent}{self.called.get(graph, graph.name)}({head})"
        last = ""
        for node in graph.nodes:
            self.names[node] = f"%{len(self.names)}"
            text = f"{indent}  {self.names[node]} = {self.expression(node)}"
            if node.type is not None:
                text += f" : {node.type}"
            if node in self.marks:
                text += f" [{self.marks[node]}]"
            source = _source_line(node)
            yield f"{text:<{SOURCE_COLUMN}}  # {source}" if source and source != last else text
            last = source or last
            for inner in node.graphs():
                yield from self.lines(inner, indent + "    ", self.labels(node, inner))
        yield f"{indent}  return {', '.join(map(self.name, graph.results))}".rstrip()

    def name(self, node: Node) -> str:
        return self.names.get(node, "?")

    def labels(self, node: Node, inner: Graph) -> list[str]:
        """Return the labels of an inner graph's arguments, each with its source."""
        sources = enumerate(argument_sources(node, inner), len(self.names))
        return [f"%{number} {relation} {self.name(value)}" for number, (relation, value, _) in sources]

    def expression(self, node: Node) -> str:
        if node.op == "constant":
            return f"constant {abbreviate(node.attrs['value'])}"
        if node.op == "call":
            return f"call {self.called[node.attrs['graph']]}({', '.join(map(self.name, node.inputs))})"
        args = node.attrs.get("args")
        if node.op == "raise" and args is not None:
            kind, values, _ = args
            inner = ", ".join(self.value(v, node.inputs) for v in values)
            return f"raise {getattr(kind, '__name__', kind)}({inner})"
        if args is None:
            parts = [self.name(i) for i in node.inputs]
            if node.op in ("setitem", "add_at"):  # the slots of the key are inputs too
                parts[1:-1] = [self.value(node.attrs["key"], node.inputs)]
            parts += [f"{k}={_attribute(v)}" for k, v in node.attrs.items() if _is_shown(k, v)]
        else:
            parts = [self.value(a, node.inputs) for a in args]
            parts += [f"{k}={self.value(v, node.inputs)}" for k, v in node.attrs.get("kwargs", {}).items()]
        return f"{node.op}({', '.join(parts)})"

    def value(self, value: Any, inputs: Sequence[Node]) -> str:
        if isinstance(value, Slot):
            return self.name(inputs[value.index])
        if isinstance(value, tuple):
            inner = ", ".join(self.value(v, inputs) for v in value)
            return f"({inner},)" if len(value) == 1 else f"({inner})"
        if isinstance(value, list):
            return f"[{', '.join(self.value(v, inputs) for v in value)}]"
        if isinstance(value, dict):
            return f"{{{', '.join(f'{k!r}: {self.value(v, inputs)}' for k, v in value.items())}}}"
        if isinstance(value, slice):
            parts = [value.start, value.stop] if value.step is None else [value.start, value.stop, value.step]
            return ":".join("" if p is None else self.value(p, inputs) for p in parts)
        return abbreviate(value)


_HIDDEN_ATTRS = frozenset(("function", "args", "kwargs", "carried", "elements", "source", "errstate", "key"))
_DEFAULT_ATTRS = {"structure": 0, "strict": False}


def _is_shown(key: str, value: Any) -> bool:
    is_default = key in _DEFAULT_ATTRS and value == _DEFAULT_ATTRS[key]
    return not (isinstance(value, Graph) or key in _HIDDEN_ATTRS or is_default)


def _attribute(value: Any) -> str:
    return str(value) if isinstance(value, np.dtype) else abbreviate(value)


def abbreviate(value: Any) -> str:
    for name, generator in GENERATORS.items():
        if value is generator:
            return name
    if value is Ellipsis:
        return "..."
    if isinstance(value, type):
        return value.__name__
    if isinstance(value, np.ndarray):
        if value.size > 8:
            return f"{value.dtype}{list(value.shape)}"
        value = value.tolist() if value.ndim else value[()]
    if type(value) is int and value.bit_length() > 200:  # Python limits conversions of long ints to decimal
        value = hex(value)
    text = " ".join(repr(value).split()) if not isinstance(value, str) else repr(value)
    return text if len(text) <= 40 else text[:37] + "..."


def _source_line(node: Node) -> str:
    text = "".join(f"{p.line}: {p.text}" for p in node.places[-1:])
    return text if len(text) <= MAX_SOURCE_LENGTH else text[: MAX_SOURCE_LENGTH - 3] + "..."


def text_of(graph: Graph, marks: Mapping[Node, str] = MappingProxyType({})) -> str:
    """Return a graph as text, with the mark of each node in `marks` in brackets."""
    called = called_names(graph)
    texts = []
    for part in (graph, *called):
        lines = Printer(marks, called).lines(part, "", [a.attrs["name"] for a in part.arguments])
        texts.append("\n".join(lines))
    return "\n\n".join(texts)


GRAPH_METHODS["text"] = text_of
