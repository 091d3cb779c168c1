"""Conditionals and loops in machine code, and who owns the arrays that they carry.

An array is *owned* by a value if no other value shares its memory. A write to an owned array at its last use is
in place; any other write copies first, as in the code for NumPy.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

from ...ir.graph import Graph, Missing, Node
from ...ir.inplace_writes import written_arguments
from ...ir.subgraphs import Loop
from ...ir.types import ArrayType, ListType, MaybeType, bound_type
from .axis_reductions import AxisReductionEmitter
from .bailouts import Checkpoint, Frame, find_live
from .float_flags import is_needed
from .kinds import INT
from .loop_facts import FAR, MAX_ITERATIONS, carried_bounds, hoist_index_checks, keeps_shape, range_bounds
from .places import DIFFERENT_TYPES, Place, block_of, empty_value, make_place
from .statuses import Mode, Unsupported
from .values import Array, Enumerate, Expression, List, Maybe, Range, Reversed, Scalar, Tuple, Zip

_WRITES = frozenset(("setitem", "add_at", "list_append", "list_set", "list_pop", "cond", "while", "for"))
_EFFECTS = _WRITES - {"cond"}
POLL_INTERVAL = 1 << 20  # iterations between two checks for Ctrl-C


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


@dataclass
class Side:
    """One branch of a conditional, as emitted."""

    graph: Graph
    results: list[Any]
    scope: Scope
    blocks: list[str]
    lines: list[str]


class ControlFlowEmitter(AxisReductionEmitter):
    """Emitter of graphs, conditionals and loops."""

    def __init__(self, mode: Mode) -> None:
        super().__init__(mode)
        self.values = {}
        self.scopes: list[Scope] = []
        self.frames: list[Frame] = []
        self.checkpoints: list[Checkpoint] = []
        self.checkpoint: Checkpoint | None = None  # None if the next bailout needs a new one
        self.deferred: list[str] = []  # conditions under which machine code is left before the next effect
        self.written: dict[Graph, set[Node]] = {}

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
        outer_blocks, self.own_blocks = self.own_blocks, []
        outer_verified, self.verified = self.verified, set(self.verified)
        for i, node in enumerate(graph.nodes):
            scope.index = i
            self.node(node)
        scope.index = len(graph.nodes)
        self.settle_all()
        results = [self._result(r) for r in graph.results]
        if finish is not None:
            finish(results, scope)
        self.scopes.pop()
        self.verified = outer_verified
        blocks, self.own_blocks = self.own_blocks, outer_blocks
        return results, scope, blocks

    def _result(self, node: Node) -> Any:
        value = self.value(node)
        if isinstance(value, Maybe):
            return value
        if isinstance(value, Array) and value.strides is not None and value.block == "null":
            raise Unsupported("a view of an array that the region does not own leaves a graph")
        if isinstance(value, (Array, Expression)):
            return self.conform(self.contiguous(self.materialize(value)), node.type)
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
                raise Unsupported("it runs under an errstate that reports underflow", node)
            self.ignores_errors = all(v == "ignore" for v in errors.values())
        self.is_needed = is_needed(node, self.frames)
        try:
            if node.op == "cond":
                value: Any = self.cond(node)
            elif node.op in ("while", "for"):
                value = self.loop(node)
            elif node.op == "output":
                value = self._output(node)
            elif node.effect and node.op != "raise":
                raise Unsupported(f"{node.op} has effects outside the graph", node)
            elif node.op == "raise":
                self.bail_if("true")
                value = Missing.VALUE
            else:
                value = self.operation(node)
        except Unsupported as error:
            error.node = error.node or node
            raise
        finally:
            self.ignores_errors = False
        if isinstance(value, Expression) and not (self.is_fusable(node) and self._is_whole(value, node)):
            value = self.materialize(value)
        self.values[node] = value
        self._note_memory(node, value)

    def _note_memory(self, node: Node, value: Any) -> None:
        scope = self.scopes[-1]
        if not isinstance(value, (Array, Expression, List)):
            return
        if node.op in ("getitem", "same") or (node.op == "convert" and node.inputs):
            scope.roots[node] = scope.roots.get(node.inputs[0], node.inputs[0])
        elif node.op == "check_bound":
            scope.roots[node] = node.inputs[0]
        elif (node.op not in (
            "output",
            "setitem",
            "add_at",
            "list_get",
            "constant",
        ) and not node.op.startswith("list_")) or node.op == "list_copy":
            scope.owned.add(node)

    def _output(self, node: Node) -> Any:
        source = node.inputs[0]
        value = self.values[source]
        if not isinstance(value, Tuple):
            raise Unsupported(f"{source.op} with several results is not compiled")
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

    def _is_whole(self, value: Expression, node: Node) -> bool:
        """Return whether the user of an expression computes all of it: LLVM may skip what `where` does not select."""
        scope = self.scopes[-1]
        return not value.may_warn or scope.graph.nodes[scope.last_use[node]].op != "numpy.where"

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
                return user.type  # type: ignore[no-any-return]
            if user.op in ("while", "for") and node in user.inputs:
                loop = Loop(user)
                for initial, carried, _ in loop.carries():
                    if initial is node and carried.type.element is not None:
                        return carried.type  # type: ignore[no-any-return]
        raise Unsupported("the type of a list is not known")

    def written_in(self, graph: Graph) -> set[Node]:
        return written_arguments(graph, self.written)

    # --- Bailouts ---------------------------------------------------------------------------------

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

    # --- Conditionals -----------------------------------------------------------------------------

    def condition(self, node: Node) -> str:
        return self.condition_of(self.value(node))

    def condition_of(self, value: Any) -> str:
        if isinstance(value, Scalar):
            return self.truth(value)
        if isinstance(value, List):
            return self.w.op(f"icmp sgt i64 {value.length}, 0")
        if isinstance(value, (Range, Enumerate, Zip, Reversed)):
            return self.w.op(f"icmp sgt i64 {self.length(value)}, 0")
        raise Unsupported("the truth of this value is not compiled")

    def cond(self, node: Node) -> Tuple:
        w, scope = self.w, self.scopes[-1]
        predicate, *operands = node.inputs
        condition = self.condition(predicate)
        graphs = node.attrs["then"], node.attrs["orelse"]
        if any(n.op in _EFFECTS for g in graphs for n in g.walk()):
            self.settle_all()
        else:
            super().settle_all()
        deferred = self.deferred
        names = w.fresh("then"), w.fresh("else")
        end = w.fresh("end")
        w.branch(condition, *names)
        checkpoint, sides = self.checkpoint, []
        kept: Checkpoint | None = checkpoint
        takeable = [self.may_take(o, tuple(operands)) for o in operands]
        for name, graph in zip(names, graphs, strict=True):
            w.label(name)
            self.checkpoint, self.deferred = checkpoint, []
            owned = {a for a, free in zip(graph.arguments, takeable, strict=True) if free}
            for argument, operand in zip(graph.arguments, operands, strict=True):
                self.values[argument] = self._passed(operand)
            self.frames.append(Frame(node, graph, scope.index))
            results, inner, blocks = self.graph(graph, owned)
            self.frames.pop()
            sides.append(Side(graph, results, inner, blocks, w.lines))
            if self.checkpoint is not checkpoint:
                kept = None
            w.lines = []
        kinds = self._output_types(node)
        merged = [self._merge(sides, i, kinds.get(i)) for i in range(len(graphs[0].results))]
        for side, other in zip(sides, range(2), strict=True):
            w.lines = side.lines if not other else w.lines + side.lines
            for part in merged:
                if isinstance(part, Place):
                    value = side.results[merged.index(part)]
                    self.retain(block_of(value))
                    part.store(value)
            for block in side.blocks:
                self.release(block)
            w.jump(end)
        w.label(end)
        self.checkpoint, self.deferred = kept, deferred
        parts = []
        for i, part in enumerate(merged):
            if isinstance(part, Place):
                part = part.load()
                self.own(part)
            parts.append(part)
            if all(
                s.graph.results[i] in s.scope.owned and s.graph.results.count(s.graph.results[i]) == 1
                for s in sides
            ):
                scope.owned.add((node, i))
        return Tuple(tuple(parts))

    def _passed(self, operand: Node) -> Any:
        value = self.value(operand)
        return self.materialize(value) if isinstance(value, Expression) else value

    def _output_types(self, node: Node) -> dict[int, Any]:
        """Return the types of the results of a conditional that are used, by index."""
        nodes = self.scopes[-1].graph.nodes[self.scopes[-1].index :]
        return {n.attrs["index"]: n.type for n in nodes if n.op == "output" and n.inputs[0] is node}

    def _merge(self, sides: list[Side], index: int, kind: Any) -> Any:
        """Return the value that both branches give, or the place where they store their values."""
        if kind is None:
            return Missing.VALUE  # unused
        first, second = (side.results[index] for side in sides)
        if first == second:
            return first
        if not isinstance(kind, MaybeType):
            for side in sides:
                if side.results[index] is Missing.VALUE:  # never read, as the type says
                    side.results[index] = empty_value(kind)
            types = {
                bound_type(side.graph.results[index].type) for side in sides if side.graph.results[index].type
            }
            if len({_signature(t) for t in types}) > 1:
                raise Unsupported(DIFFERENT_TYPES)
        return make_place(self, kind, tuple(side.results[index] for side in sides))

    def own(self, value: Any) -> None:
        """Release the reference that a value holds when the current graph ends."""
        if block_of(value) != "null":
            self.own_blocks.append(block_of(value))

    # --- Loops ------------------------------------------------------------------------------------

    def length(self, iterable: Any) -> str:
        w = self.w
        if isinstance(iterable, (Array, Expression)):
            return iterable.dims[0]
        if isinstance(iterable, List):
            return iterable.length
        if isinstance(iterable, Range):
            return self._range_length(iterable)
        if isinstance(iterable, Zip):
            length = self.length(iterable.parts[0])
            for part in iterable.parts[1:]:
                length = w.call("i64", "llvm.smin.i64", ("i64", length), ("i64", self.length(part)))
            return length
        if isinstance(iterable, (Enumerate, Reversed)):
            return self.length(iterable.source)
        raise Unsupported("a loop over this value is not compiled")

    def _range_length(self, value: Range) -> str:
        w = self.w
        step = value.step.constant
        if not step or abs(step) > FAR:
            raise Unsupported("a range with a variable step is not compiled" if not step else "a step is too large")
        for bound in (value.start, value.stop):
            if bound.interval[0] < -(2**61) or bound.interval[1] > 2**61:
                shifted = w.op(f"add i64 {bound.register}, {2**61}")
                self.bail_if(w.op(f"icmp ugt i64 {shifted}, {2**62}"))
        low, high = (value.start, value.stop) if step > 0 else (value.stop, value.start)
        distance = w.op(f"sub i64 {high.register}, {low.register}")
        distance = w.call("i64", "llvm.smax.i64", ("i64", distance), ("i64", "0"))
        if abs(step) == 1:
            return distance
        return w.op(f"udiv i64 {w.op(f'add i64 {distance}, {abs(step) - 1}')}, {abs(step)}")

    def elements(self, iterable: Any, index: str, length: str) -> list[Any]:
        """Emit the elements at an index: one for each loop variable."""
        w = self.w
        if isinstance(iterable, Array):
            if len(iterable.dims) == 1:
                return [self.load_element(iterable, (index,))]
            strides = self.strides(iterable)
            address = w.offset(iterable.address, w.mul(index, strides[0]))
            rest = None if iterable.strides is None else strides[1:]
            return [Array(iterable.kind, address, iterable.dims[1:], iterable.block, rest, iterable.root)]
        if isinstance(iterable, List):
            return [self.list_element(iterable, index)]
        if isinstance(iterable, Range):
            step = iterable.step.constant
            register = w.add(iterable.start.register, w.mul(index, str(step)))
            return [Scalar(register, INT, bounds=range_bounds(iterable))]
        if isinstance(iterable, Zip):
            return [e for part in iterable.parts for e in self.elements(part, index, self.length(part))]
        if isinstance(iterable, Enumerate):
            low = iterable.start.interval[0]
            count = Scalar(w.add(iterable.start.register, index), INT, bounds=(low, max(low, 2**62)))
            return [count, *self.elements(iterable.source, index, length)]
        if isinstance(iterable, Reversed):
            last = w.op(f"sub i64 {length}, 1")
            return self.elements(iterable.source, w.op(f"sub i64 {last}, {index}"), length)
        raise Unsupported("a loop over this value is not compiled")

    def loop(self, node: Node) -> Tuple:
        """Emit a loop."""
        if node.attrs.get("maximum_iterations") is not None:
            raise Unsupported("a loop with maximum_iterations is not compiled")
        w, scope, loop = self.w, self.scopes[-1], Loop(node)
        source = self.value(node.inputs[1]) if node.op == "for" else None
        if isinstance(source, Expression):
            source = self.values[node.inputs[1]] = self.materialize(source)
        self.settle_all()
        test = self.condition(node.inputs[0])
        length = "" if source is None else self.length(source)
        if length and not length.isdigit():
            self.bail_if(w.op(f"icmp sgt i64 {length}, {MAX_ITERATIONS}"))
        written = self.written_in(loop.body)
        hoist_index_checks(self, loop, source, length, test)
        initial = [
            self._initial(v, a, written, node) for v, a in zip(loop.initial, loop.carried, strict=True)
        ]
        for operand, argument in loop.captures():
            self.values[argument] = self._passed(operand)
        self.settle_all()
        return self.loop_from(node, loop, source, test, length, initial, written, scope)

    def _initial(self, value: Node, argument: Node, written: set[Node], node: Node) -> Any:
        result = self._passed(value)
        if argument in written and not self.may_take(value, node.inputs):
            result = self.copied(result)
        return self.conform(result, argument.type)

    def loop_from(
        self, node: Node, loop: Loop, source: Any, test: str, length: str, initial: list[Any],
        written: set[Node], scope: Scope,
    ) -> Tuple:  # fmt: skip
        w = self.w
        bounds = carried_bounds(self, loop, initial, source)
        places = [
            make_place(self, a.type, (v,), bounds=b, has_fixed_shape=keeps_shape(loop, i))
            for i, (v, a, b) in enumerate(zip(initial, loop.carried, bounds, strict=True))
        ]
        for place, value in zip(places, initial, strict=True):
            self.retain(block_of(value))
            place.store(value)
        counter = w.alloca("i64")
        w.line(f"store i64 0, ptr {counter}")
        if node.op == "for":
            has_elements = w.op(f"icmp sgt i64 {length}, 0")
            test = w.op(f"and i1 {test}, {has_elements}")
            self.poll(length)
        head, end = w.fresh("loop"), w.fresh("after")
        w.branch(test, head, end)
        w.label(head)
        arguments = [place.load() for place in places]
        for argument, value in zip(loop.carried, arguments, strict=True):
            self.values[argument] = value
        done = following = None
        index = w.op(f"load i64, ptr {counter}")
        if node.op == "for":
            done = Scalar(w.add(index, "1"), INT)
            if isinstance(source, Range):
                step = source.step.constant
                following = Scalar(w.add(source.start.register, w.mul(done.register, str(step))), INT)
        frame = Frame(node, loop.body, scope.index, done, following)
        self.frames.append(frame)
        self.checkpoint = None
        if node.op == "for":
            elements = self.elements(source, index, length)
            if len(elements) != len(loop.elements):
                raise Unsupported("the elements of this loop are not compiled")
            self.values.update(zip(loop.elements, elements, strict=True))
        else:
            self.poll(None)
        owned = {a for a in loop.carried if a in written}

        def finish(results: list[Any], inner: Scope) -> None:
            results[0] = self.condition_of(results[0])
            for i, (result, argument) in enumerate(zip(loop.results, loop.carried, strict=True), 1):
                if argument in written and (result not in inner.owned or loop.body.results.count(result) > 1):
                    results[i] = self.copied(results[i])

        (again, *results), _, blocks = self.graph(loop.body, owned, finish)
        self.frames.pop()
        fixed = [self._is_same(a, r) for a, r in zip(arguments, results, strict=True)]
        for value, is_fixed in zip(results, fixed, strict=True):
            if not is_fixed:
                self.retain(block_of(value))
        for block in blocks:
            self.release(block)
        for place, value, old, is_fixed in zip(places, results, arguments, fixed, strict=True):
            if not is_fixed:
                self.release(block_of(old))
                place.store(value)
        if node.op == "for":
            w.line(f"store i64 {done.register}, ptr {counter}")
            more = w.op(f"icmp slt i64 {done.register}, {length}")
            again = w.op(f"and i1 {again}, {more}")
        w.branch(again, head, end)
        w.label(end)
        self.checkpoint = None
        parts = []
        for i, (place, value, is_fixed) in enumerate(zip(places, initial, fixed, strict=True)):
            part = value if is_fixed else place.load()
            self.own(part)
            parts.append(part)
            if loop.carried[i] in written:
                scope.owned.add((node, i))
        return Tuple(tuple(parts))

    def copied(self, value: Any) -> Any:
        if isinstance(value, List):
            return self.copy_list(value)
        if not isinstance(value, Array):
            raise Unsupported("this value is not copied")
        return self._copied(value)

    @staticmethod
    def _is_same(argument: Any, result: Any) -> bool:
        return not isinstance(argument, Scalar) and argument == result

    def poll(self, count: str | None) -> None:
        """Emit code that checks for Ctrl-C now and then: by iterations, or ahead of a loop of `count` iterations."""
        raise NotImplementedError


def _signature(kind: Any) -> Any:
    """Return what two types must share to be merged: the dtype and the rank."""
    if isinstance(kind, ArrayType):
        return kind.dtype, len(kind.shape)
    if isinstance(kind, ListType):
        return list
    return kind
