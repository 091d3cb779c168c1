"""A graph as text: one line per node, with the user's lines beside them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from .effects import GENERATORS
from .ir import Graph, Node, Slot

WIDTH, LONGEST = 60, 80


def lines(graph: Graph) -> list[str]:
    return list(_Writer().graph(graph, "", [a.attrs["name"] for a in graph.arguments]))


def outside(node: Node, inner: Graph) -> list[tuple[str, Node]]:
    """What the arguments of a graph inside `node` are outside.

    It is the same value ("="), what a loop carries at first ("from"), or an item of what it iterates ("in").
    """
    found = [("=", i) for i in node.inputs]
    if node.op == "while":
        carried = 1 + node.attrs["carried"]
        found[1:carried] = [("from", i) for _, i in found[1:carried]]
    elif node.op == "for":
        carried = 2 + node.attrs["carried"]
        items = [("in", node.inputs[1])] * node.attrs["elements"]
        found = [*items, *(("from", i) for i in node.inputs[2:carried]), *found[carried:]]
    count = len(inner.arguments)
    return found[len(found) - count :] if count else []


class _Writer:
    def __init__(self) -> None:
        self.names: dict[Node, str] = {}
        self.outer: dict[Node, str] = {}

    def graph(self, graph: Graph, indent: str, labels: Sequence[str]) -> Iterator[str]:
        """The lines of a graph, whose arguments are shown as `labels`."""
        head = ", ".join(f"{label}: {a.type}" for label, a in zip(labels, graph.arguments, strict=True))
        for argument, label in zip(graph.arguments, labels, strict=True):
            self.names[argument] = label.split(" ", 1)[0] if indent else label
        yield f"{indent}{graph.name}({head})"
        last = ""
        for node in graph.nodes:
            self.names[node] = f"%{len(self.names)}"
            text = f"{indent}  {self.names[node]} = {self.expression(node)}"
            if node.type is not None:
                text += f" : {node.type}"
            source = _source_line(node)
            yield f"{text:<{WIDTH}}  # {source}" if source and source != last else text
            last = source or last
            for inner in node.graphs():
                yield from self.graph(inner, indent + "    ", self.labels(node, inner))
        yield f"{indent}  return {', '.join(map(self.name, graph.results))}".rstrip()

    def name(self, node: Node) -> str:
        return self.names.get(node, "?")

    def labels(self, node: Node, inner: Graph) -> list[str]:
        """The arguments of a graph inside `node`, each with what it is outside."""
        names = enumerate(outside(node, inner), len(self.names))
        return [f"%{number} {word} {self.name(value)}" for number, (word, value) in names]

    def expression(self, node: Node) -> str:
        if node.op == "constant":
            return f"constant {short(node.attrs['value'])}"
        args = node.attrs.get("args")
        if node.op == "raise" and args is not None:
            kind, values, _ = args
            inner = ", ".join(self.value(v, node.inputs) for v in values)
            return f"raise {getattr(kind, '__name__', kind)}({inner})"
        if args is None:
            shown = [self.name(i) for i in node.inputs]
            if node.op in ("setitem", "add_at"):  # the slots of its key are inputs too
                key = self.value(node.attrs["key"], node.inputs)
                shown = [shown[0], key, shown[-1]]
            shown += [f"{k}={_attribute(v)}" for k, v in node.attrs.items() if _is_shown(k, v)]
        else:
            shown = [self.value(a, node.inputs) for a in args]
            shown += [f"{k}={self.value(v, node.inputs)}" for k, v in node.attrs.get("kwargs", {}).items()]
        return f"{node.op}({', '.join(shown)})"

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
        return short(value)


_HIDDEN = frozenset(("function", "args", "kwargs", "carried", "elements", "source", "errstate", "key"))
_USUAL = {"structure": 0, "strict": False}


def _is_shown(key: str, value: Any) -> bool:
    if isinstance(value, Graph) or key in _HIDDEN:
        return False
    return not (key in _USUAL and value == _USUAL[key])


def _attribute(value: Any) -> str:
    return str(value) if isinstance(value, np.dtype) else short(value)


def short(value: Any) -> str:
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
    if type(value) is int and value.bit_length() > 200:  # Python writes no decimals of very long ones
        value = hex(value)
    text = " ".join(repr(value).split()) if not isinstance(value, str) else repr(value)
    return text if len(text) <= 40 else text[:37] + "..."


def _source_line(node: Node) -> str:
    text = "".join(f"{p.line}: {p.text}" for p in node.places[-1:])
    return text if len(text) <= LONGEST else text[: LONGEST - 3] + "..."
