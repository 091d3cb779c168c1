"""The walk over a graph: a line for each node, names for values, expressions inside expressions.

The text of a number that the very next expression uses, and nothing else, stands inside that expression.
It is *pending* until then; what could raise in between has the pending ones written to lines first, so
that errors come in the graph's order. Names of arrays are used again once no value needs them,
so that memory is freed as in plain NumPy code.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np

from ...places import Place
from ...undefined import missing
from ..facts import is_silent
from ..ir import Graph, Missing, Node, Slot
from ..numerics import check
from ..run import EXPRESSIONS, FUNCTIONS
from ..types import ArrayType, ScalarType
from .buffers import Buffers

VIEWS = frozenset(
    ("getitem", "output", "list_get", "argument", "constant", "check_bound", "same", "numpy.transpose",
     "numpy.reshape", "numpy.ravel", "numpy.squeeze", "numpy.swapaxes", "numpy.diagonal", "numpy.expand_dims",
     "numpy.moveaxis", "numpy.broadcast_to", "numpy.real", "numpy.imag", "numpy.asarray", "numpy.flip",
     "numpy.rollaxis", "numpy.split", "numpy.array_split", "numpy.atleast_1d", "numpy.atleast_2d",
     "numpy.rot90", "numpy.ndarray.reshape", "numpy.ndarray.transpose", "numpy.ndarray.astype", "with_shape")
)  # fmt: skip
_LAZY = frozenset(
    ("range", "enumerate", "zip", "reversed", "dataset")
)  # texts of their inputs, without a line
_DEEPEST = 8  # expressions inside one another

NAMESPACE: dict[str, Any] = {
    **FUNCTIONS,
    "MISSING": Missing.VALUE,
    "missing": missing,
    "errstate": np.errstate,
}
"""What every function finds by name, beside the builtins."""

Owned: TypeAlias = set[Node | tuple[Node, int]]
"""The nodes whose value is owned; of a node with several results, node and place."""


class Writer:
    """What it has written so far, and the names of the values."""

    def __init__(self, graph: Graph, *, checked: bool = False) -> None:
        self.checked = checked
        self.buffers = Buffers(graph)
        self.lines: list[str] = []
        self.nodes: dict[int, Node] = {}
        self.names: dict[Node, Any] = {}  # a tuple of names for a node with several results
        self.namespace: dict[str, Any] = dict(NAMESPACE)
        self.kept: dict[int, str] = {}
        self.uses: Counter[Node] = Counter()
        self.root: dict[Node, Node] = {}
        self.passed: dict[Node, set[Node]] = {}  # what the results of a condition or loop may be, or show
        self.view_uses: Counter[Node] = Counter()  # by root: how often its views are still used
        self.pending: list[Node] = []
        self.depth: dict[Node, int] = {}
        self.tail: Node | None = None  # the node whose text is among the results of the graph just walked
        self.holds: dict[Node, tuple[str, ...]] = {}
        self.holders: Counter[str] = Counter()
        self.array_names: set[str] = set()
        self.free: list[str] = []
        self.indent = 0
        self.count = 0

    def line(self, text: str, node: Node | None = None) -> None:
        self.lines.append("    " * self.indent + text)
        if node is not None:
            self.nodes[len(self.lines)] = node

    def fresh(self, stem: str = "v") -> str:
        self.count += 1
        return f"{stem}{self.count}"

    def name_of(self, node: Node) -> str:
        """A new name, or for an array one that no value needs any more."""
        if not (isinstance(node.type, ArrayType) and node.type.shape):
            return self.fresh()
        if self.free:
            return self.free.pop()
        name = self.fresh()
        self.array_names.add(name)
        return name

    def keep(self, value: Any, stem: str = "k") -> str:
        """The name under which the function finds a Python object."""
        if id(value) not in self.kept:
            name = self.fresh(stem)
            self.namespace[name] = value
            self.kept[id(value)] = name
        return self.kept[id(value)]

    def literal(self, value: Any) -> str:
        if value is None or value is Ellipsis or type(value) in (bool, int, str):
            return _closed(repr(value))
        if type(value) is float and math.isfinite(value):
            return _closed(repr(value))
        if value is Missing.VALUE:
            return "MISSING"
        return self.keep(value)

    # Graphs

    def graph(self, graph: Graph, owned: Owned) -> list[str]:
        """The lines of a graph's nodes; the expressions of its results."""
        last: dict[Node, int] = {}
        for i, node in enumerate(graph.nodes):
            for used in node.inputs:
                last[used] = i
                self.uses[used] += 1
        for result in graph.results:
            last[result] = len(graph.nodes)
            self.uses[result] += 1
        for i, node in enumerate(graph.nodes):
            over = {used for used in node.inputs if last[used] == i}
            ends = over - {used for used in over & owned if self.has_live_view(used, node)}
            self.node(node, ends, owned)
            self.hold(node)
            self.uses.subtract(node.inputs)
            for used in node.inputs:
                if used in self.root and may_view(used):
                    self.view_uses[self.root[used]] -= 1
            if may_view(node):
                root = self.root.get(node.inputs[0], node.inputs[0])
                self.root[node] = root
                self.view_uses[root] += self.uses[node]
            for used in over if node in last else (*over, node):
                self.release(used)
        loud = [node for node in self.pending if not is_silent(node)]
        if len(loud) > 1 or any(node not in graph.results for node in self.pending):
            self.flush()
        self.tail = next(iter(loud if self.pending else ()), None)
        self.pending.clear()
        return [self.names[r] for r in graph.results]

    def has_live_view(self, array: Node, user: Node) -> bool:
        """Whether a view of an array is used by later nodes than `user`."""
        root = self.root.get(array, array)
        count = self.view_uses[root]
        if array in self.root and may_view(array):
            count -= self.uses[array]
        return count > sum(i is not array and self.root.get(i) is root and may_view(i) for i in user.inputs)

    def bases(self, value: Node) -> set[Node]:
        """The values whose arrays a value may be, or show parts of."""
        found: set[Node] = set()
        waiting = [value]
        while waiting:
            part = waiting.pop()
            root = self.root.get(part, part)
            if root not in found:
                found.add(root)
                waiting += self.passed.get(root, ())
        return found

    def hold(self, node: Node) -> None:
        """Note which names the text of a value needs."""
        if node in self.pending or node.op in _LAZY:
            names = [name for used in node.inputs for name in self.holds.get(used, ())]
        else:
            text = self.names.get(node, ())
            names = [text] if isinstance(text, str) else list(text)
        self.holds[node] = tuple(names)
        self.holders.update(names)

    def release(self, node: Node) -> None:
        """Let go of the names of a value that nobody uses any more."""
        for name in self.holds.pop(node, ()):
            self.holders[name] -= 1
            if not self.holders[name] and name in self.array_names:
                self.free.append(name)

    # Expressions inside expressions

    def flush(self) -> None:
        """Write what is pending to lines of its own."""
        for node in self.pending:
            text, name = self.names[node], self.fresh()
            self.line(f"{name} = {text}", node)
            self.names[node] = name
        self.pending.clear()

    def take(self, node: Node, inputs: Sequence[Node]) -> int:
        """Let a node's text hold what it uses of what is pending; how deep it gets.

        What can raise is computed in the graph's order all the same, and on the user's line.
        """
        if not self.pending:
            return 0
        taken = [i for i in inputs if i in self.pending]
        loud = [i for i in self.pending if not is_silent(i)]
        if [i for i in taken if i in loud] != loud or any(not _same_line(node, i) for i in loud):
            self.flush()
            return 0
        self.pending = [i for i in self.pending if i not in taken]
        return max((self.depth[i] for i in taken), default=0)

    def node(self, node: Node, ends: set[Node], owned: Owned) -> None:
        special: Callable[..., None] | None = getattr(self, f"emit_{node.op}", None)
        if special is not None:
            if node.op == "cond":
                self.take(node, node.inputs[:1])
            if node.op not in ("constant", "output"):
                self.flush()
            special(node, ends, owned)
            return
        errors = node.attrs.get("errstate")
        if errors:
            self.flush()
        depth = self.take(node, node.inputs) + 1
        waits = not (errors or node.effect or self.checked) and self.uses[node] == 1 and _is_number(node)
        if waits and depth <= _DEEPEST:
            self.names[node] = self.expression(node)
            self.pending.append(node)
            self.depth[node] = depth
            return
        target = None if self.checked else self.buffers.target(node, ends, owned)
        if target is not None:
            name = self.names[target]
            text = f"{self.keep(self.buffers.function(node), 'f')}({self.operands(node)}, {name})"
        else:
            text = self.expression(node)
            name = self.name_of(node)
        scope = f"with errstate(**{self.keep(errors)}): " if errors else ""
        self.line(f"{scope}{name} = {text}", node)
        self.names[node] = name
        if self.checked and _may_be_infinite(node.type):
            operands = "".join(f"{self.names[i]}, " for i in node.inputs)
            self.line(f"{self.keep(check)}({name}, {node.op!r}, ({operands}))", node)
        if node.op not in VIEWS:
            owned.add(node)

    def operands(self, node: Node) -> str:
        return ", ".join(self.names[i] for i in node.inputs)

    def expression(self, node: Node) -> str:
        inputs = [self.names[i] for i in node.inputs]
        template = EXPRESSIONS.get(node.op)
        if template is not None:
            attrs = {k: self.literal(v) for k, v in node.attrs.items() if "{" + k + "}" in template}
            return template.format(*inputs, **attrs)
        function = node.attrs["function"]
        if "args" not in node.attrs:
            return f"{self.keep(function, function.__name__.strip('_<>') or 'f')}({', '.join(inputs)})"
        args = [self.argument(a, inputs) for a in node.attrs["args"]]
        if node.op == "getitem":
            return f"{args[0]}[{args[1]}]"
        args += [f"{k}={self.argument(v, inputs)}" for k, v in node.attrs["kwargs"].items()]
        return f"{self.keep(function, 'f')}({', '.join(args)})"

    def argument(self, value: Any, inputs: Sequence[str]) -> str:
        if isinstance(value, Slot):
            return inputs[value.index]
        if isinstance(value, list):
            return f"[{', '.join(self.argument(v, inputs) for v in value)}]"
        if isinstance(value, tuple):
            text = f"({''.join(self.argument(v, inputs) + ', ' for v in value)})"
            return text if type(value) is tuple else f"{self.keep(type(value))}._make({text})"
        if isinstance(value, dict):
            items = (f"{k!r}: {self.argument(v, inputs)}" for k, v in value.items())
            return f"{{{', '.join(items)}}}"
        if isinstance(value, slice):
            parts = [self.argument(p, inputs) for p in (value.start, value.stop, value.step)]
            return f"slice({', '.join(parts)})"
        return self.literal(value)


def may_view(node: Node) -> bool:
    """Whether a node may give a part of its first input's memory: items are numbers of their own."""
    if node.op not in VIEWS or not node.inputs:
        return False
    is_number = (
        isinstance(node.type, ArrayType) and not node.type.shape and node.op in ("getitem", "list_get")
    )
    return not is_number or any(part is Ellipsis for part in _parts_of_key(node))


def _parts_of_key(node: Node) -> tuple[Any, ...]:
    key = node.attrs["args"][1] if node.op == "getitem" else ()
    return key if type(key) is tuple else (key,)


def _closed(text: str) -> str:
    """The text of a number so that operators beside it do not take it apart: `-2 ** x` is `-(2 ** x)`."""
    return f"({text})" if text.startswith("-") else text


def _is_number(node: Node) -> bool:
    kind = node.type
    return isinstance(kind, ScalarType) or (isinstance(kind, ArrayType) and not kind.shape)


def _may_be_infinite(kind: Any) -> bool:
    if isinstance(kind, ScalarType):
        return kind.python in (float, complex)
    return isinstance(kind, ArrayType) and kind.dtype.kind in "fc"


def _same_line(first: Node, second: Node) -> bool:
    """Whether two nodes are of one line of the user's, so that an error in either is shown there."""
    if first.source[:-1] != second.source[:-1] or len(first.source) != len(second.source):
        return False
    return not first.source or _line(first.source[-1]) == _line(second.source[-1])


def _line(place: Any) -> Any:
    return (place.file, place.line, place.qualname) if isinstance(place, Place) else place
