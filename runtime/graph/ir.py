"""A graph is inert data: nodes in program order, each with its op, inputs, attributes and type.

Op names: `argument`, `constant`; Python's operators by their function in the module `operator`
(`add`, `lt`, `getitem`); NumPy's functions by path (`numpy.sum`); Python's builtins (`int`, `len`);
`cond`, `while` and `for`, which hold graphs of their own; `output`, which picks one result of a node
that has several. `effect` says that a node is needed by definition and keeps its place in the order.
"""

from __future__ import annotations

import enum
import linecache
import types
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np

Source: TypeAlias = tuple[tuple[types.CodeType, int], ...]


class Missing(enum.Enum):
    """What an unbound variable holds in a running graph."""

    VALUE = "unbound"


@dataclass(frozen=True, slots=True)
class Slot:
    """Stands in a call's recorded arguments for the node's n-th input."""

    index: int


@dataclass(eq=False, slots=True)
class Node:
    """One operation. `type` is None for a node that has several results, or none, else a `StagedType`:
    which of them, the op settles.
    """

    op: str
    inputs: tuple[Node, ...]
    attrs: dict[str, Any]
    type: Any
    source: Source = ()
    effect: bool = False

    def graphs(self) -> Iterator[Graph]:
        for value in self.attrs.values():
            if isinstance(value, Graph):
                yield value

    @property
    def place(self) -> str:
        """`file:line` of the user's code that made the node, if known."""
        for code, instruction in self.source[-1:]:
            return f"{code.co_filename}:{line_of(code, instruction)}"
        return ""


def line_of(code: types.CodeType, instruction: int) -> int:
    for i, place in enumerate(code.co_positions()):
        if i == instruction // 2:
            return place[0] or code.co_firstlineno
    return code.co_firstlineno


@dataclass(eq=False)
class Graph:
    """Nodes in program order, from arguments to results.

    `str(graph)` is one line per node with the user's source line; the graphs of conditions and loops
    are indented below their node.
    """

    name: str
    arguments: list[Node] = field(default_factory=list)
    nodes: list[Node] = field(default_factory=list)
    results: list[Node] = field(default_factory=list)

    def walk(self) -> Iterator[Node]:
        """Every node, those of inner graphs after the node that holds them."""
        for node in self.nodes:
            yield node
            for inner in node.graphs():
                yield from inner.walk()

    def __len__(self) -> int:
        return sum(1 for _ in self.walk())

    def count(self, op: str) -> int:
        """How many nodes have an op."""
        return sum(1 for node in self.walk() if node.op == op)

    def __str__(self) -> str:
        names: dict[Node, str] = {}
        return "\n".join(_lines(self, names, ""))


def _lines(graph: Graph, names: dict[Node, str], indent: str) -> list[str]:
    for node in graph.arguments:
        names[node] = node.attrs["name"] if not indent else f"%{len(names)}"
    head = ", ".join(f"{names[a]}: {a.type}" for a in graph.arguments)
    out = [f"{indent}{graph.name}({head})"]
    last = ""
    for node in graph.nodes:
        names[node] = f"%{len(names)}"
        text = f"{indent}  {names[node]} = {_expression(node, names)}"
        if node.type is not None:
            text += f" : {node.type}"
        source = _source_line(node)
        if source and source != last:
            text = f"{text:<60}  # {source}"
        last = source or last
        out.append(text)
        for inner in node.graphs():
            out.extend(_lines(inner, names, indent + "    "))
    out.append(f"{indent}  return {', '.join(names.get(r, '?') for r in graph.results)}")
    return out


def _expression(node: Node, names: dict[Node, str]) -> str:
    if node.op == "constant":
        return f"constant {_short(node.attrs['value'])}"
    args = node.attrs.get("args")
    if args is None:
        shown = [names.get(i, "?") for i in node.inputs]
        shown += [f"{k}={v}" for k, v in node.attrs.items() if not isinstance(v, Graph) and k not in _HIDDEN]
    else:
        shown = [_shown(a, node.inputs, names) for a in args]
        shown += [f"{k}={_shown(v, node.inputs, names)}" for k, v in node.attrs.get("kwargs", {}).items()]
    return f"{node.op}({', '.join(shown)})"


_HIDDEN = frozenset(("function", "args", "kwargs", "carried", "source", "errstate"))


def _shown(value: Any, inputs: Sequence[Node], names: dict[Node, str]) -> str:
    if isinstance(value, Slot):
        return names.get(inputs[value.index], "?")
    if isinstance(value, (tuple, list)):
        inner = ", ".join(_shown(v, inputs, names) for v in value)
        return f"({inner})" if isinstance(value, tuple) else f"[{inner}]"
    if isinstance(value, slice):
        parts = (value.start, value.stop, value.step)
        return ":".join("" if p is None else _shown(p, inputs, names) for p in parts)
    return _short(value)


def _short(value: Any) -> str:
    if isinstance(value, np.ndarray) and value.size > 8:
        return f"{value.dtype}{list(value.shape)}"
    text = repr(value).replace("\n", "")
    return text if len(text) <= 40 else text[:37] + "..."


def _source_line(node: Node) -> str:
    for code, instruction in node.source[-1:]:
        line = line_of(code, instruction)
        return f"{line}: {linecache.getline(code.co_filename, line).strip()}"
    return ""
