"""Walk a graph: emit a line for each node, allocate names, and nest expressions.

A number that only the next expression uses is nested in that expression. Until then it is *pending*. Before
other code that may raise, pending expressions are flushed to lines, so that errors occur in the order of the
graph. After the last use of an array its name is reused, so that memory is freed as in plain NumPy code.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np

from ...core.undefined import unbound_error
from ...debugging.positions import CodePosition
from ..ir.expressions import EXPRESSIONS, FUNCTIONS
from ..ir.graph import Graph, Missing, Node, Slot
from ..ir.op_properties import has_ellipsis, is_single_number, is_speculatable
from ..ir.types import ArrayType, ScalarType, is_reference
from ..state.numerics import check
from .buffers import Buffers

VIEWS = frozenset(
    ("getitem", "output", "list_get", "attribute", "argument", "constant", "check_bound", "some", "same",
     "numpy.transpose",
     "numpy.reshape", "numpy.ravel", "numpy.squeeze", "numpy.swapaxes", "numpy.diagonal", "numpy.expand_dims",
     "numpy.moveaxis", "numpy.broadcast_to", "numpy.real", "numpy.imag", "numpy.asarray", "numpy.flip",
     "numpy.rollaxis", "numpy.split", "numpy.array_split", "numpy.atleast_1d", "numpy.atleast_2d",
     "numpy.rot90", "numpy.ndarray.reshape", "numpy.ndarray.transpose", "numpy.ndarray.astype", "with_shape")
)  # fmt: skip
_LAZY = frozenset(
    ("range", "enumerate", "zip", "reversed", "dataset", "skip")
)  # expressions that never get a line
_MAX_DEPTH = 8  # nested expressions

NAMESPACE: dict[str, Any] = {
    **FUNCTIONS,
    "MISSING": Missing.VALUE,
    "missing": unbound_error,
    "errstate": np.errstate,
}
"""The globals of every compiled function."""

Owned: TypeAlias = set[Node | tuple[Node, int]]
"""The owned values: nodes, or pairs of node and index for a node with several results."""


class CodeWriter:
    """State of code generation: the lines emitted so far, and the name of each value."""

    def __init__(self, graph: Graph, *, checked: bool = False, by_line: bool = False) -> None:
        self.checked, self.by_line = checked, by_line
        self.buffers = Buffers(graph)
        self.lines: list[str] = []
        self.nodes: dict[int, Node] = {}
        self.names: dict[Node, Any] = {}  # a tuple of names for a node with several results
        self.namespace: dict[str, Any] = dict(NAMESPACE)
        self.global_names: dict[int, str] = {}
        self.uses: Counter[Node] = Counter()
        self.array_root: dict[Node, Node] = {}
        self.owned: Owned = set()  # of the current graph
        self.last_uses: set[Node] = set()  # the inputs of the current node that no later node uses
        # operands that the results of a conditional or loop may alias
        self.passed_operands: dict[Node, set[Node]] = {}
        self.view_uses: Counter[Node] = Counter()  # remaining uses of the views of each array
        self.pending: list[Node] = []
        self.raising: set[Node] = set()  # those pending whose expressions may raise
        self.depth: dict[Node, int] = {}
        self.result_node: Node | None = None  # the pending node among the results of the last graph
        self.held_names: dict[Node, tuple[str, ...]] = {}
        self.name_uses: Counter[str] = Counter()
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
        """Return a name for the result of a node, which may be that of an array no longer used."""
        if not (isinstance(node.type, ArrayType) and node.type.shape):
            return self.fresh()
        if self.free:
            return self.free.pop()
        name = self.fresh()
        self.array_names.add(name)
        return name

    def global_name(self, value: Any, stem: str = "k") -> str:
        """Add a Python object to the function's globals, and return its name."""
        if id(value) not in self.global_names:
            name = self.fresh(stem)
            self.namespace[name] = value
            self.global_names[id(value)] = name
        return self.global_names[id(value)]

    def literal(self, value: Any) -> str:
        is_finite = type(value) is float and math.isfinite(value)
        if is_finite or value is None or value is Ellipsis or type(value) in (bool, int, str):
            text = repr(value)
            return f"({text})" if text.startswith("-") else text  # since `-2 ** x` is `-(2 ** x)`
        if value is Missing.VALUE:
            return "MISSING"
        return self.global_name(value)

    def graph(self, graph: Graph, owned: Owned) -> list[str]:
        """Emit the nodes of a graph, and return the expressions of its results."""
        outer = self.owned, self.last_uses
        self.owned = owned
        last_use: dict[Node, int] = {}
        for i, node in enumerate(graph.nodes):
            for used in node.inputs:
                last_use[used] = i
                self.uses[used] += 1
        for result in graph.results:
            last_use[result] = len(graph.nodes)
            self.uses[result] += 1
        for i, node in enumerate(graph.nodes):
            dead = {used for used in node.inputs if last_use[used] == i}
            self.last_uses = dead - {used for used in dead & owned if self.has_live_view(used, node)}
            self.node(node)
            self.hold_names(node)
            self.uses.subtract(node.inputs)
            for used in node.inputs:
                if used in self.array_root and may_view(used):
                    self.view_uses[self.array_root[used]] -= 1
            if may_view(node):
                root = self.array_root.get(node.inputs[0], node.inputs[0])
                self.array_root[node] = root
                self.view_uses[root] += self.uses[node]
            for used in dead if node in last_use else (*dead, node):
                self.release_names(used)
        raising = [node for node in self.pending if node in self.raising]
        if self.by_line or len(raising) > 1 or any(node not in graph.results for node in self.pending):
            self.flush()
        self.result_node = next(iter(raising if self.pending else ()), None)
        self.pending.clear()
        self.raising.clear()
        self.owned, self.last_uses = outer
        return [self.names[r] for r in graph.results]

    def has_live_view(self, array: Node, user: Node) -> bool:
        """Return whether a node after `user` uses a view of an array."""
        root = self.array_root.get(array, array)
        count = self.view_uses[root]
        if array in self.array_root and may_view(array):
            count -= self.uses[array]
        return count > sum(
            i is not array and self.array_root.get(i) is root and may_view(i) for i in user.inputs
        )

    def bases(self, value: Node) -> set[Node]:
        """Return the values whose arrays a value may alias."""
        bases: set[Node] = set()
        waiting = [value]
        while waiting:
            part = waiting.pop()
            root = self.array_root.get(part, part)
            if root not in bases:
                bases.add(root)
                waiting += self.passed_operands.get(root, ())
        return bases

    def hold_names(self, node: Node) -> None:
        """Record the names that the expression of a value uses."""
        if node in self.pending or node.op in _LAZY:
            names = [name for used in node.inputs for name in self.held_names.get(used, ())]
        else:
            text = self.names.get(node, ())
            names = [text] if isinstance(text, str) else list(text)
        self.held_names[node] = tuple(names)
        self.name_uses.update(names)

    def release_names(self, node: Node) -> None:
        for name in self.held_names.pop(node, ()):
            self.name_uses[name] -= 1
            if not self.name_uses[name] and name in self.array_names:
                self.free.append(name)

    def flush(self) -> None:
        for node in self.pending:
            text, name = self.names[node], self.fresh()
            self.line(f"{name} = {text}", node)
            self.names[node] = name
        self.pending.clear()
        self.raising.clear()

    def inline_pending(self, node: Node, inputs: Sequence[Node]) -> int:
        """Nest the pending inputs of a node in its expression, and return their nesting depth.

        An expression that may raise is nested only if errors still occur in the order of the graph, and only
        if both nodes come from the same line of the user's code. With `by_line`, this holds for all.
        """
        if not self.pending:
            return 0
        inlined = [i for i in inputs if i in self.pending]
        raising = [i for i in self.pending if i in self.raising]
        of_one_line = inlined if self.by_line else raising
        if [i for i in inlined if i in raising] != raising or any(
            not _same_line(node, i) for i in of_one_line
        ):
            self.flush()
            return 0
        self.pending = [i for i in self.pending if i not in inlined]
        return max((self.depth[i] for i in inlined), default=0)

    def node(self, node: Node) -> None:
        emit: Callable[..., None] | None = getattr(self, f"emit_{node.op}", None)
        if emit is not None:
            if node.op == "cond":
                self.inline_pending(node, node.inputs[:1])
            if node.op not in ("constant", "output"):
                self.flush()
            emit(node)
            return
        errors = node.attrs.get("errstate")
        if errors:
            self.flush()
        depth = self.inline_pending(node, node.inputs) + 1
        can_nest = not (errors or node.effect or self.checked) and self.uses[node] == 1
        if can_nest and is_single_number(node) and depth <= _MAX_DEPTH:
            self.names[node] = self.expression(node)
            self.pending.append(node)
            self.depth[node] = depth
            if not is_speculatable(node) or not self.raising.isdisjoint(node.inputs):
                self.raising.add(node)
            return
        target = None if self.checked else self.buffers.target(node, self.last_uses, self.owned)
        if target is not None:
            name = self.names[target]
            text = f"{self.global_name(self.buffers.function(node), 'f')}({self.operands(node)}, {name})"
        else:
            text = self.expression(node)
            name = self.name_of(node)
        prefix = f"with errstate(**{self.global_name(errors)}): " if errors else ""
        self.line(f"{prefix}{name} = {text}", node)
        self.names[node] = name
        if self.checked and _may_be_infinite(node.type):
            operands = "".join(f"{self.names[i]}, " for i in node.inputs)
            self.line(f"{self.global_name(check)}({name}, {node.op!r}, ({operands}))", node)
        if node.op not in VIEWS:
            self.owned.add(node)

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
            return f"{self.global_name(function, function.__name__.strip('_<>') or 'f')}({', '.join(inputs)})"
        args = self.arguments(node)
        if node.op == "getitem":
            return f"{args[0]}[{args[1]}]"
        return f"{self.global_name(function, 'f')}({', '.join(args)})"

    def arguments(self, node: Node) -> list[str]:
        """Return the expressions of the recorded arguments of a call."""
        inputs = [self.names[i] for i in node.inputs]
        args = [self.argument(a, inputs) for a in node.attrs["args"]]
        return args + [f"{k}={self.argument(v, inputs)}" for k, v in node.attrs.get("kwargs", {}).items()]

    def argument(self, value: Any, inputs: Sequence[str]) -> str:
        if isinstance(value, Slot):
            return inputs[value.index]
        if isinstance(value, list):
            return f"[{', '.join(self.argument(v, inputs) for v in value)}]"
        if isinstance(value, tuple):
            text = f"({''.join(self.argument(v, inputs) + ', ' for v in value)})"
            return text if type(value) is tuple else f"{self.global_name(type(value))}._make({text})"
        if isinstance(value, dict):
            items = (f"{k!r}: {self.argument(v, inputs)}" for k, v in value.items())
            return f"{{{', '.join(items)}}}"
        if isinstance(value, slice):
            parts = [self.argument(p, inputs) for p in (value.start, value.stop, value.step)]
            return f"slice({', '.join(parts)})"
        return self.literal(value)


def may_view(node: Node) -> bool:
    """Return whether a node may return a view of its first input."""
    if node.op not in VIEWS or not node.inputs or is_reference(node.type):
        return False
    if (
        node.op not in ("getitem", "list_get", "attribute")
        or not isinstance(node.type, ArrayType)
        or node.type.shape
    ):
        return True
    return node.op == "getitem" and has_ellipsis(node.attrs["args"][1])


def _may_be_infinite(kind: Any) -> bool:
    if isinstance(kind, ScalarType):
        return kind.python in (float, complex)
    return isinstance(kind, ArrayType) and kind.dtype.kind in "fc"


def _same_line(first: Node, second: Node) -> bool:
    """Return whether two nodes come from the same line of the user's code."""
    if first.source[:-1] != second.source[:-1] or len(first.source) != len(second.source):
        return False
    return not first.source or _line(first.source[-1]) == _line(second.source[-1])


def _line(place: Any) -> Any:
    return (place.file, place.line, place.qualname) if isinstance(place, CodePosition) else place
