"""TensorFlow: tensors of a graph are staged, under `tf.function`, `Dataset.map` and whatever else builds one.

A branch or body is captured as a graph of its own, which becomes part of an `If` or `While` operation.
A Python number that a loop changes is a `Number` there, which takes the dtype of the tensors it meets.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import tensorflow as tf

from ... import staging
from ...errors import MismatchError
from ...staging.raises import refuse_caught
from ...structures import flatten
from ...tracebacks import strip
from ..iterables import StagedSequence
from ..texts import Mark
from . import builtins, graphs, items, numpy
from .host import explained, fail, has_operands, is_users, joined_text
from .kinds import COMPOSITE, TensorFlowKinds
from .lists import (
    Contents,
    StagedList,
    known_count,
)
from .selection import inlined, is_selectable, is_separable, negated
from .sources import Element, Fetched, is_dataset, is_iterator, listed, source_of
from .values import (
    Number,
    default_dtype,
    weak,
)

MAX_ITEMS = 100
"""The longest list that is a Python list again after a loop that made it longer."""


@dataclass
class GraphCapture:
    """One closure as a graph; `arguments` are its placeholders, `source` makes the items of a `for`."""

    graph: Any
    value: Any = None
    raised: BaseException | None = None
    writes: list[tuple[Any, Any]] = field(default_factory=list)
    lists: dict[int, tuple[StagedList, Contents]] = field(default_factory=dict)
    arguments: list[Any] = field(default_factory=list)
    source: Any = None
    inputs: list[Any] = field(default_factory=list)
    following: Any = None

    def close(self) -> None:
        """Note what became of lists from outside, and take it back."""
        for changed, before in self.lists.values():
            self.writes.append((changed, changed.read()))
            changed.restore(before)


class TensorFlowBackend(TensorFlowKinds):
    """Conditions and loops as `If` and `While` operations."""

    name = "tensorflow"

    def owns(self, kind: type) -> bool:
        own = (tf.Tensor, tf.Variable, tf.TensorArray, Number, StagedList, COMPOSITE)
        return issubclass(kind, own) or is_dataset(kind) or is_iterator(kind)

    def is_staged(self, value: Any) -> bool:
        return tf.is_symbolic_tensor(value) or not tf.executing_eagerly()

    def staging(self) -> bool:
        return not tf.executing_eagerly()

    def entered(self) -> Any:
        return graphs.WithoutOwnFrames() if self.staging() else None

    # Captures

    def capture(self, run: Callable[..., Any], arguments: Sequence[Any] = ()) -> GraphCapture:
        graph = graphs.new_graph("body" if arguments else "branch", body=bool(arguments))
        made = GraphCapture(graph)
        self.captures.append(made)
        try:
            with graphs.building(graph):
                try:
                    made.value, _ = run(*self._placeholders(made, arguments))
                    if isinstance(made.source, Fetched):
                        made.following = made.source.following(self.flag(made.value))
                except staging.AlwaysRaises as error:
                    made.raised = error
                except Exception as error:
                    if not is_users(error):
                        raise
                    made.raised = error
                    refuse_caught(error)
                    self.fail(True, error)
        finally:
            made.close()
            self.captures.pop()
        return made

    def _placeholders(self, made: GraphCapture, arguments: Sequence[Any]) -> list[Any]:
        values: list[Any] = []
        leaves: list[Any] = []
        for kind in arguments:
            if isinstance(kind, Element):
                if made.source is None:
                    made.source = kind.source
                    made.inputs = [graphs.placeholder(made.graph, *s) for s in kind.source.inputs]
                    leaves = flatten(kind.source.item(*made.inputs))[0]
                values.append(leaves[kind.place])
                continue
            own = [graphs.placeholder(made.graph, p.dtype, p.shape) for p in self.parts(kind)]
            made.arguments += own
            values += self.built([kind], own, [(object(), 0)])
        return values

    # Conditions and loops

    def conditional(
        self, test: Any, captures: tuple[GraphCapture, GraphCapture], outputs: Sequence[tuple[Any, Any, Any]]
    ) -> list[Any]:
        kinds = [kind for _, _, kind in outputs]
        branches, sides = [c.graph for c in captures], []
        for side, capture in enumerate(captures):
            with capture.graph.as_default():
                if capture.raised is not None:
                    left = [self.zeros(part) for kind in kinds for part in self.parts(kind)]
                else:
                    left = [t for out in outputs for t in self.held(out[side], out[2])]
            sides.append(left)
        if sides[0] and is_selectable(
            branches, [t for left in sides for t in left], compute=self.selects_numbers
        ):
            sides = list(map(inlined, branches, sides))
            results = self.chosen(test, sides, outputs)
        elif not sides[0] and not any(map(graphs.has_effects, branches)):
            return []
        else:
            for graph, left in zip(branches, sides, strict=True):
                graphs.close(graph, left)
            results = graphs.build_cond(test, branches)
        counts = [_common_count(first, second) for first, second, _ in outputs]
        return self.built(kinds, results[: sum(len(self.parts(k)) for k in kinds)], counts)

    def while_loop(
        self,
        going: Any,
        init: Sequence[Any],
        types: Sequence[Any],
        body: GraphCapture,
        again: Any,
        results: Sequence[Any],
        options: dict[str, Any],
    ) -> list[Any]:
        limit = options.get("maximum_iterations")
        flags = (self.flag(going), again)
        return self._loop(limit, flags, [], init, types, body, results, options)

    def for_loop(
        self,
        iterated: Any,
        going: Any,
        init: Sequence[Any],
        types: Sequence[Any],
        body: GraphCapture,
        again: Any,
        results: Sequence[Any],
        options: dict[str, Any],
    ) -> list[Any]:
        limit = options.get("maximum_iterations")
        flags: Any = None if going is True and again is True else (self.flag(going), again)
        if isinstance(body.source, Fetched):
            extra, flag = body.source.first(self.flag(going))
            flags = (flag, body.following[1] if body.following is not None else True)
            return self._loop(limit, flags, extra, init, types, body, results, options)
        length = body.source.count_of_items
        if limit is not None:
            length = self.least(length, limit)
        return self._loop(length, flags, [], init, types, body, results, options)

    def flag(self, value: Any) -> Any:
        return value if isinstance(value, bool) else self.truth(value)

    def _loop(
        self,
        limit: Any,
        flags: Any,
        extra: Sequence[Any],
        init: Sequence[Any],
        types: Sequence[Any],
        body: GraphCapture,
        results: Sequence[Any],
        options: dict[str, Any],
    ) -> list[Any]:
        self._check_invariants(options, init, types)
        most = tf.constant(graphs.UNLIMITED) if limit is None else tf.cast(self.tensor(limit), tf.int32)
        first, again = flags or (True, True)
        again = True if body.raised is not None else again
        start = [t for v, k in zip(init, types, strict=True) for t in self.held(v, k)]
        graph = body.graph
        counted_inputs = [] if isinstance(body.source, Fetched) else body.inputs
        with graph.as_default():
            counter = counted_inputs[0] if counted_inputs else tf.compat.v1.placeholder(tf.int32, ())
            limit_in = tf.compat.v1.placeholder(tf.int32, ())
            left = body.arguments
            if body.raised is None:
                left = [t for v, k in zip(results, types, strict=True) for t in self.held(v, k)]
            asked = tf.convert_to_tensor(self.flag(again))
            is_apart = not extra and all(map(self.is_array, results))
            is_apart = is_apart and is_separable(graph, asked, list(map(self.tensor, results)), left)
            flag_in = [] if is_apart else [tf.compat.v1.placeholder(tf.bool, ())]
            extra_in = body.inputs if extra else []
            graph.inputs[:0] = [counter, limit_in, *flag_in, *extra_in, *body.arguments]
            following = body.following[0] if extra and body.following else extra_in
            outputs = [counter + 1, limit_in, *([] if is_apart else [asked]), *following, *left]

        def test(*values: Any) -> Any:
            if flags is None and not extra:
                return None
            return inlined(graph, [asked], list(zip(left, values, strict=True)))[0] if is_apart else values[0]

        graphs.close(graph, outputs)
        head = [*([] if is_apart else [tf.convert_to_tensor(first)]), *extra]
        shapes = [*[t.shape for t in head], *[p.shape for k in types for p in self.parts(k)]]
        made = graphs.build_while(
            graph, [*head, *start], list(map(tf.TensorShape, shapes)), most,
            options.get("parallel_iterations", 10), counted=limit is not None, test=test,
        )  # fmt: skip
        trips = limit if isinstance(limit, int) and flags is None else None
        counts = [_count_after(v, r, trips) for v, r in zip(init, results, strict=True)]
        return self.built(types, made[len(head) :], counts)

    def _check_invariants(self, options: dict[str, Any], init: Sequence[Any], types: Sequence[Any]) -> None:
        for value, shape in options.get("shape_invariants", ()):
            for given, kind in zip(init, types, strict=True):
                left = tf.TensorShape(getattr(kind, "shape", None))
                if given is value and not left.is_subtype_of(tf.TensorShape(shape)):
                    raise MismatchError(
                        f"a variable of a loop has the shape {left}, but its invariant is {shape}",
                        why="an invariant has to hold before the loop as well",
                        remedy=f"give it an invariant that {left} fits, such as None for each dimension "
                        "that changes",
                    )

    def elements(self, iterated: Any) -> tuple[Callable[[Sequence[Any]], Any], list[Any]]:
        source = source_of(self, iterated)
        return source.rebuild, [Element(source, i) for i in range(source.count)]

    def sequence(self, iterated: Any) -> StagedSequence:
        if isinstance(iterated, StagedList):
            return StagedSequence("list", iterated.length(), iterated.copy().item, [iterated])
        if isinstance(iterated, tf.TensorArray):
            iterated = iterated.stack()
        if isinstance(iterated, tf.RaggedTensor):
            rows = iterated.nrows()
            known = iterated.shape[0]
            return StagedSequence(
                "ragged", weak(rows) if known is None else known, lambda i: iterated[self.tensor(i)]
            )
        return listed(self, super().sequence(iterated))

    def first_and_rest(self, iterated: Any) -> tuple[Any, Any, Any]:
        if not is_dataset(type(iterated)) and not is_iterator(type(iterated)):
            return super().first_and_rest(iterated)
        iterator = iter(iterated)
        item = iterator.get_next_as_optional()
        return item.has_value(), item.get_value, iterator

    def after(self, checks: Sequence[Any]) -> Any:
        """Where what is computed runs after the checks: others order effects only."""
        return tf.control_dependencies(checks)

    def iterable(self, function: Callable[..., Any], args: tuple, kwargs: dict[str, Any]) -> StagedSequence:
        if function is range and len(args) == 3 and self.is_array(args[2]):
            step = self.tensor(args[2])
            checked = self.fail(tf.equal(step, 0), ValueError("range() arg 3 must not be zero"))
            with tf.control_dependencies([checked]):  # before anything is divided by it
                args = (*args[:2], weak(tf.identity(step)))
        return super().iterable(function, args, kwargs)

    def is_empty(self, iterated: Any) -> bool:
        if self.is_array(iterated):
            return iterated.shape.rank is not None and iterated.shape.rank > 0 and iterated.shape[0] == 0
        return (
            isinstance(iterated, StagedSequence) and isinstance(iterated.count, int) and iterated.count <= 0
        )

    def sources(self, iterated: Any) -> list[Any]:
        return [iterated]

    # Values

    def length(self, value: Any) -> Any:
        if value.shape.rank == 0:
            raise TypeError("iteration over a 0-d array")
        known = None if value.shape.rank is None else value.shape[0]
        return known if known is not None else weak(tf.shape(value, out_type=default_dtype(1))[0])

    def minimum(self, a: Any, b: Any) -> Any:
        return weak(tf.minimum(*map(self.tensor, (weak(a), weak(b)))))

    def maximum(self, a: Any, b: Any) -> Any:
        return weak(tf.maximum(*map(self.tensor, (weak(a), weak(b)))))

    def not_(self, value: Any) -> Any:
        return negated(self.truth(value))

    def get_item(self, target: Any, key: Any) -> Any:
        return items.get_item(self, target, key)

    def set_item(self, target: Any, key: Any, value: Any) -> Any:
        return items.set_item(self, target, key, value)

    def contains(self, item: Any, container: Any) -> Any:
        return items.contains(self, item, container)

    def unstaged(self, value: Any) -> Any:
        if not isinstance(value, StagedList):
            return value
        count = known_count(value.count)
        return list(value) if count is not None and count <= MAX_ITEMS else value

    # Effects

    def ended(self, error: BaseException) -> bool:
        """Let the graph raise what ended its trace, if it holds a staged value or comes after effects."""
        if isinstance(error, staging.AlwaysRaises):
            return not self.captures
        reason = explained(error)
        if reason is not None:
            raise reason from error
        is_raised = not self.captures and isinstance(error, Exception) and is_users(error)
        if not is_raised or not (has_operands(error) or graphs.has_effects()):
            strip(error)
            return False
        self.fail(True, error)
        return True

    def fail(self, failed: Any, error: BaseException) -> Any:
        return fail(failed, error)

    def fmt(self, value: Any, conversion: str) -> Any:
        return Mark(value, conversion)

    def text(self, text: str) -> Any:
        return joined_text(text)

    def replaced(self, function: Callable[..., Any]) -> Callable[..., Any] | None:
        return numpy.replaced(self, function)

    def unpacked(self, value: Any) -> Any:
        return self.call_builtin(list, (value,), {}) if isinstance(value, tf.Tensor) else value

    def call_builtin(self, function: Callable[..., Any], args: tuple, kwargs: dict[str, Any]) -> Any:
        return builtins.call(self, function, args, kwargs)


def _count_of(value: Any) -> Any:
    return (
        value.count
        if isinstance(value, (StagedList, Contents))
        else len(value)
        if type(value) is list
        else None
    )


def _common_count(first: Any, second: Any) -> Any:
    counts = _count_of(first), _count_of(second)
    return counts[0] if counts[0] == counts[1] else None


def _count_after(before: Any, after: Any, trips: int | None) -> Any:
    """The number of items after a loop of so many rounds, each of which adds as many as the body does."""
    start, end = _count_of(before), _count_of(after)
    if trips is None or not isinstance(end, tuple) or start is None:
        return None
    added = trips * end[1]
    return (start[0], start[1] + added) if isinstance(start, tuple) else start + added
