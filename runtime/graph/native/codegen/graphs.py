"""Graphs in machine code: their nodes in order, who owns their arrays, and the checkpoints between them.

An array is *owned* by a value if no other value shares its memory. A write to an owned array at its last
use is in place; any other write copies first, as in the code for NumPy.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

from ...ir.graph import Graph, Missing, Node
from ...ir.inplace_writes import written_arguments
from ...ir.subgraphs import Loop
from ...ir.types import ArrayType, ListType, is_plain
from ..assembly.kinds import Kind
from ..assembly.statuses import Mode, UnsupportedError
from ..assembly.values import Array, Expression, List, Maybe, Scalar, Tuple
from ..operations.axis_reductions import AxisReductionEmitter
from .bailouts import Checkpoint, Frame, find_live
from .float_flags import is_needed, may_vectorize
from .identity import Memory

_LEAVES = frozenset(("raise", "check_bound", "some"))
"""Ops whose only effect is an error, which Python raises after machine code has given up."""
_LIKE = [f"numpy.{name}_like" for name in ("zeros", "ones", "empty", "full")]
_PARTIAL_USERS = frozenset(("numpy.where", "len", "dimension", *_LIKE))
_WRITES = frozenset(("setitem", "add_at", "list_append", "list_set", "list_pop", "cond", "while", "for"))


@dataclass
class Scope:
    """The graph that is being emitted."""

    graph: Graph
    index: int = 0  # of the current node
    owned: set[Any] = field(default_factory=set)
    last_use: dict[Node, int] = field(default_factory=dict)
    uses: Counter[Node] = field(default_factory=Counter)
    roots: dict[Node, Node] = field(default_factory=dict)
    """The array of which a value is a view."""


class GraphEmitter(AxisReductionEmitter):
    """Emitter of the nodes of graphs."""

    multiplied: frozenset[Node] = frozenset()
    """The values of which an operand of a product may be a part. NumPy adds in an order that strides tell."""
    summed: frozenset[Node] = frozenset()
    """Those of which the operand of a sum may be a part."""

    def __init__(self, mode: Mode) -> None:
        super().__init__(mode)
        self.values = {}
        self.scopes: list[Scope] = []
        self.frames: list[Frame] = []
        self.checkpoints: list[Checkpoint] = []
        self.checkpoint: Checkpoint | None = None  # None if the next bailout needs a new one
        self.deferred: list[str] = []  # conditions under which machine code is left before the next effect
        self.written: dict[Graph, set[Node]] = {}
        self.memory: Memory

    # --- Graphs -----------------------------------------------------------------------------------

    def graph(
        self, graph: Graph, owned: set[Any], finish: Callable[[list[Any], Scope], None] | None = None
    ) -> tuple[list[Any], Scope, list[str]]:
        """Emit the nodes of a graph; return its results, what is known of them, and the blocks to release.

        `finish` may change the results before the graph ends.
        """
        scope = Scope(graph, owned=owned)
        for i, node in enumerate(graph.nodes):
            for used in node.inputs:
                scope.last_use[used] = i
                scope.uses[used] += 1
        for result in graph.results:
            scope.last_use[result] = len(graph.nodes)
            scope.uses[result] += 1
        self.scopes.append(scope)
        self.recent.append([])
        outer_blocks, self.own_blocks = self.own_blocks, []
        outer_verified, self.verified = self.verified, set(self.verified)
        for i, node in enumerate(graph.nodes):
            scope.index = i
            self.node(node)
        scope.index = len(graph.nodes)
        self.settle_all()
        results = [self._result(r) for r in graph.results]
        # A check that waits until the result is stored would leave at the checkpoint of another branch.
        results = [self.settle(r) if isinstance(r, Scalar) else r for r in results]
        if finish is not None:
            finish(results, scope)
        self.scopes.pop()
        self.recent.pop()
        self.verified = outer_verified
        blocks, self.own_blocks = self.own_blocks, outer_blocks
        return results, scope, blocks

    def _result(self, node: Node) -> Any:
        value = self.value(node)
        if isinstance(value, Maybe):
            return value
        if isinstance(value, (Array, Expression)):
            return self.conform(self.in_one_piece(self.materialize(value), node), node.type)
        return value

    def in_one_piece(self, value: Any, node: Node) -> Any:
        """Return the value of a node, or a copy of it if it is a view whose elements lie apart."""
        if not isinstance(value, Array) or value.strides is None:
            return value
        if node in self.memory.leaving and self.memory.is_of_caller(node):
            raise UnsupportedError("a view of an array that the region does not own leaves it")
        return self.contiguous(self.copyable(value, node))

    def copyable(self, value: Any, node: Node) -> Any:
        if not isinstance(value, Array) or value.strides is None:
            return value
        rank, size = len(value.dims), str(value.kind.size)
        is_multiplied = node in self.multiplied
        if (is_multiplied and (rank > 2 or value.strides[-1] != size)) or (rank > 1 and node in self.summed):
            raise UnsupportedError("a view that is summed or multiplied later is carried or in a list")
        if is_multiplied and rank == 2:  # BLAS treats it like a copy if only its rows are farther apart
            w, (rows, columns) = self.w, value.dims
            is_column = w.op(f"icmp slt i64 {columns}, 2")
            overlaps = w.op(f"icmp slt i64 {value.strides[0]}, {w.mul(columns, size)}")
            has_rows = w.op(f"icmp sgt i64 {rows}, 1")
            self.bail_if(w.op(f"and i1 {has_rows}, {w.either(is_column, overlaps)}"))
        return value

    def conform(self, value: Any, kind: Any) -> Any:
        """Return an array with the dimensions that a type says. Bail out if it has others."""
        if not isinstance(value, Array) or not isinstance(kind, ArrayType):
            return value
        dims = []
        for dim, known in zip(value.dims, kind.shape, strict=True):
            if known is not None and dim != str(known):
                self.bail_if(self.w.compare("ne", dim, str(known)))
            dims.append(dim if known is None else str(known))
        return replace(value, dims=tuple(dims)) if tuple(dims) != value.dims else value

    def node(self, node: Node) -> None:
        errors = node.attrs.get("errstate")
        if errors:
            if errors.get("under") != "ignore":
                raise UnsupportedError("it runs under an errstate that reports underflow", node)
            self.ignores_errors = all(v == "ignore" for v in errors.values())
        # Outside of loops, LLVM may move an operation behind the test of the flags.
        self.is_needed = len(self.frames) > 1 and is_needed(node, self.frames)
        try:
            if node.op == "cond":
                value: Any = self.cond(node)
            elif node.op in ("while", "for"):
                value = self.loop(node)
            elif node.op == "output":
                value = self._output(node)
            elif node.effect and node.op not in _LEAVES:
                raise UnsupportedError(f"{node.op} has effects outside the graph", node)
            elif node.op == "raise":
                self.bail_if("true")
                value = Missing.VALUE
            else:
                value = self.operation(node)
        except UnsupportedError as error:
            error.node = error.node or node
            raise
        finally:
            self.ignores_errors = False
        if isinstance(value, Expression) and not (self.is_fusable(node) and self.is_whole(value, node)):
            value = self.materialize(value)
        self.values[node] = value
        self._note_memory(node, value)

    def _note_memory(self, node: Node, value: Any) -> None:
        scope = self.scopes[-1]
        if not isinstance(value, (Array, Expression, List)):
            return
        if node.op in ("getitem", "same") or (node.op == "convert" and node.inputs):
            scope.roots[node] = scope.roots.get(node.inputs[0], node.inputs[0])
        elif node.op in ("check_bound", "some"):
            scope.roots[node] = node.inputs[0]
        elif (
            node.op
            not in (
                "output",
                "setitem",
                "add_at",
                "list_get",
                "constant",
            )
            and not node.op.startswith("list_")
        ) or node.op == "list_copy":
            scope.owned.add(node)

    def _output(self, node: Node) -> Any:
        source = node.inputs[0]
        value = self.values[source]
        if not isinstance(value, Tuple):
            raise UnsupportedError(f"{source.op} with several results is not compiled")
        if (source, node.attrs["index"]) in self.scopes[-1].owned:
            self.scopes[-1].owned.add(node)
        return value.parts[node.attrs["index"]]

    def value(self, node: Node) -> Any:
        return self.values[node]

    def is_fusable(self, node: Node) -> bool:
        scope = self.scopes[-1]
        last = scope.last_use.get(node)
        if last is None or scope.uses[node] != 1 or last == len(scope.graph.nodes):
            return False
        user = scope.graph.nodes[last]
        between = scope.graph.nodes[scope.index + 1 : last]
        return not (
            any(n.op in _WRITES for n in between) or any(True for _ in user.graphs()) or user.op == "setitem"
        )

    def all_users(self, node: Node, test: Callable[[Node, Node], bool]) -> bool:
        scope = self.scopes[-1]
        users = [user for user in scope.graph.nodes if node in user.inputs]
        if not users or node in scope.graph.results:
            return False
        nested = ("min", "max")
        return all(self.all_users(user, test) if user.op in nested else test(user, node) for user in users)

    def is_whole(self, value: Expression, node: Node) -> bool:
        """Return whether the user of an expression computes all of it.

        LLVM may skip what `where` does not select, and some users read only the shape.
        """
        scope = self.scopes[-1]
        users = scope.graph.nodes[scope.last_use[node] :]  # none for a result of the graph
        return not (value.may_warn and users and users[0].op in _PARTIAL_USERS)

    def is_late(self, node: Node) -> bool:
        outer = self.frames[-1].node
        loop = None if outer is None or outer.op == "cond" else Loop(outer)
        carried = {a for a in loop.carried if is_plain(a.type)} if loop else set()
        waiting, seen = [node], set()
        while waiting:
            current = waiting.pop()
            if current in carried or current in self.carried_items:
                return True
            if current not in seen:
                seen.add(current)
                waiting += current.inputs
        return False

    # --- Ownership --------------------------------------------------------------------------------

    def _is_dead(self, node: Node, scope: Scope) -> bool:
        """Return whether neither an array nor a view of it is used after the current node."""
        root = scope.roots.get(node, node)
        others = (v for v, r in scope.roots.items() if r is root)
        return all(scope.last_use.get(v, -1) <= scope.index for v in (node, root, *others))

    def may_take(self, node: Node, inputs: tuple[Node, ...]) -> bool:
        """Return whether the current node may write to the memory of one of its inputs."""
        scope = self.scopes[-1]
        same_memory = [i for i in inputs if scope.roots.get(i, i) is node]
        return node in scope.owned and self._is_dead(node, scope) and len(same_memory) == 1

    def writable(self, node: Node) -> Array:
        target = self.array(node.inputs[0])
        if not self.may_take(node.inputs[0], node.inputs[:1]):
            target = self._copied(target)
        self.scopes[-1].owned.add(node)
        return target

    def writable_list(self, node: Node) -> List:
        target = self.list_value(node.inputs[0])
        if not self.may_take(node.inputs[0], node.inputs[:1]):
            target = self.copy_list(target)
        self.scopes[-1].owned |= {node, (node, 0)}
        return target

    def share(self, node: Node) -> None:
        owned, root = self.scopes[-1].owned, self.scopes[-1].roots.get(node, node)
        for value in (node, root):
            owned.discard(value)
            if value.op == "output":
                owned.discard((value.inputs[0], value.attrs["index"]))

    def expected_list_type(self, node: Node) -> ListType:
        scope = self.scopes[-1]
        for user in scope.graph.nodes[scope.index + 1 :]:
            if user.op == "list_append" and user.inputs[0] is node:
                return user.type
            if user.op in ("while", "for") and node in user.inputs:
                loop = Loop(user)
                for initial, carried, _ in loop.carries():
                    if initial is node and carried.type.element is not None:
                        return carried.type
        raise UnsupportedError("the type of a list is not known")

    def written_in(self, graph: Graph) -> set[Node]:
        return written_arguments(graph, self.written)

    # --- Bailouts ---------------------------------------------------------------------------------

    def keep(self, register: str, kind: Kind) -> None:
        if self.in_array or may_vectorize(self.frames):
            super().keep(register, kind)
        else:
            self.w.use(kind.llvm, register)

    def wrote(self) -> None:
        self.checkpoint = None

    def bail_if(self, condition: str) -> None:
        if condition != "false":
            self.w.leave_if(condition, f"bail{self.current_checkpoint().number}")

    def bail_later_if(self, condition: str) -> None:
        self.current_checkpoint()
        self.deferred.append(condition)

    def flush(self) -> None:
        condition = "false"
        for part in self.deferred:
            condition = self.w.either(condition, part)
        self.deferred = []
        self.bail_if(condition)

    def settle_all(self) -> None:
        super().settle_all()
        self.flush()

    def current_checkpoint(self) -> Checkpoint:
        if self.checkpoint is None:
            scope = self.scopes[-1]
            frames = tuple(self.frames)
            self.checkpoint = Checkpoint(len(self.checkpoints) + 1, frames, scope.index)
            self.checkpoints.append(self.checkpoint)
            find_live(self.checkpoint, self._is_deferred)
            self.checkpoint.slots = [self._snapshot(n) for n in self.checkpoint.live]
            self.checkpoint.slots += [
                getattr(frames[level], name) for level, name in self.checkpoint.counters
            ]
        return self.checkpoint

    def _snapshot(self, node: Node) -> Any:
        if node not in self.values and node.op == "output":
            source = self.values[node.inputs[0]]
            return source.parts[node.attrs["index"]]
        return self.values[node]

    def _is_deferred(self, node: Node) -> bool:
        """Return whether a value is computed again where it is live: it is not in memory, or a view."""
        value = self.values.get(node)
        return isinstance(value, Expression) or (isinstance(value, Array) and value.strides is not None)

    def copied(self, value: Any) -> Any:
        if isinstance(value, List):
            return self.copy_list(value)
        if not isinstance(value, Array):
            raise UnsupportedError("this value is not copied")
        return self._copied(value)

    def cond(self, node: Node) -> Any:
        raise NotImplementedError

    def loop(self, node: Node) -> Any:
        raise NotImplementedError
