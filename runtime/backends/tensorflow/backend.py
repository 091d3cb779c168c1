"""Captures, conditionals and loops for TensorFlow.

Tensors of a graph are staged, under `tf.function`, `Dataset.map` and everything else that builds one. A
branch or body is captured as a graph of its own, which becomes part of an `If` or `While` operation. A Python
number that a loop changes is a `Number` there, which takes the dtype of the tensors it is combined with.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import tensorflow as tf

from ... import staging
from ...debugging.tracebacks import strip_internal_frames
from ...errors import MismatchError
from ...values.structures import flatten
from ..functional.backend import Outputs
from ..functional.captures import Capture, Loop
from . import graphs
from .effects import fail, has_operands, is_text, is_user_error, staged_string, translated_error
from .item_sources import ElementType, IteratorSource, item_source
from .lists import Contents, StagedList, known_length
from .private import UserFramesOnly
from .selection import inline, is_selectable, is_separable
from .values import TensorFlowValues

MAX_LIST_LENGTH = 100
"""A list that a loop has lengthened is converted back to a Python list if it is no longer than this."""


@dataclass
class GraphCapture(Capture):
    """A closure captured as a graph whose placeholders are `arguments`.

    In the body of a `for`, `source` computes the item from the placeholders `item_inputs`. `following` holds
    the next item of an iterator, and whether there is one.
    """

    graph: Any = None
    arguments: list[Any] = field(default_factory=list)
    source: Any = None
    item_inputs: list[Any] = field(default_factory=list)
    following: Any = None


class TensorFlowBackend(TensorFlowValues):
    """Conditionals and loops as `If` and `While` operations."""

    is_user_error = staticmethod(is_user_error)
    fail = staticmethod(fail)
    text = staticmethod(staged_string)
    is_text = staticmethod(is_text)

    def entered(self) -> Any:
        return UserFramesOnly() if self.staging() else None

    # Captures

    def capture(self, run: Callable[..., Any], arguments: Sequence[Any] = ()) -> GraphCapture:
        graph = graphs.new_graph("body" if arguments else "branch", is_body=bool(arguments))
        capture = GraphCapture(graph=graph)

        with graphs.building(graph), self.capturing(capture):
            capture.value, _ = run(*self._placeholders(capture, arguments))
            if isinstance(capture.source, IteratorSource):
                capture.following = capture.source.fetch(self._flag(capture.value))
        return capture

    has_effects = staticmethod(graphs.has_effects)

    @contextmanager
    def open_branch(self) -> Iterator[GraphCapture]:
        """Record the code in the `with` block into a graph of its own."""
        capture = GraphCapture(graph=graphs.new_graph("branch", is_body=False))
        with graphs.building(capture.graph), self.capturing(capture):
            yield capture

    def _placeholders(self, capture: GraphCapture, arguments: Sequence[Any]) -> list[Any]:
        values: list[Any] = []
        leaves: list[Any] = []
        for aval in arguments:
            if isinstance(aval, ElementType):
                if capture.source is None:
                    capture.source = aval.source
                    capture.item_inputs = [graphs.placeholder(capture.graph, *s) for s in aval.source.inputs]
                    leaves = flatten(aval.source.item(*capture.item_inputs))[0]
                values.append(leaves[aval.position])
                continue
            own = [graphs.placeholder(capture.graph, a.dtype, a.shape) for a in self.array_avals(aval)]
            capture.arguments += own
            values += self.from_arrays([aval], own, [(object(), 0)])
        return values

    def ended(self, error: BaseException) -> bool:
        """Make the program raise the error that ended its trace; return whether it will.

        An error without staged values is raised by the trace instead, unless the program has effects.
        """
        if isinstance(error, staging.AlwaysRaises):
            return not self.captures
        translated = translated_error(error)
        if translated is not None:
            raise translated from error
        is_raised = not self.captures and isinstance(error, Exception) and is_user_error(error)
        if not is_raised or not (has_operands(error) or graphs.has_effects()):
            strip_internal_frames(error)
            return False
        self.fail(True, error)
        return True

    # Conditionals

    def conditional(
        self, test: Any, captures: tuple[GraphCapture, GraphCapture], outputs: Outputs
    ) -> list[Any]:
        avals = [aval for _, _, aval in outputs]
        parts = [part for aval in avals for part in self.array_avals(aval)]
        branch_graphs, branches = [c.graph for c in captures], []
        for i, capture in enumerate(captures):
            with capture.graph.as_default():
                if capture.raised is not None:
                    branches.append([self.zeros(part) for part in parts])
                else:
                    branches.append([t for out in outputs for t in self.to_arrays(out[i], out[2])])
        if parts and is_selectable(branch_graphs, branches, compute=self.can_compute_both):
            results = self.select_arrays(test, list(map(inline, branch_graphs, branches)), outputs)
        elif not parts and not any(map(graphs.has_effects, branch_graphs)):
            results = []
        else:
            for graph, branch in zip(branch_graphs, branches, strict=True):
                graphs.close(graph, branch)
            results = graphs.build_cond(test, branch_graphs)
        lengths = [_common_length(first, second) for first, second, _ in outputs]
        return self.from_arrays(avals, results[: len(parts)], lengths)

    # Loops

    def _flag(self, value: Any) -> Any:
        return value if isinstance(value, bool) else self.truth(value)

    def stage_while(self, loop: Loop) -> list[Any]:
        return self._loop(loop, loop.limit, (self._flag(loop.first_test), loop.next_test), [])

    def stage_for(self, iterated: Any, loop: Loop) -> list[Any]:
        body, limit = loop.body, loop.limit
        if isinstance(body.source, IteratorSource):
            item, first_test = body.source.fetch(self._flag(loop.first_test))
            next_test = body.following[1] if body.following is not None else True
            return self._loop(loop, limit, (first_test, next_test), item)
        length = body.source.length
        if limit is not None:
            length = self.min_length(length, limit)
        tests = None if loop.is_unconditional else (self._flag(loop.first_test), loop.next_test)
        return self._loop(loop, length, tests, [])

    def _loop(self, loop: Loop, limit: Any, tests: tuple[Any, Any] | None, item: Sequence[Any]) -> list[Any]:
        """Stage a loop of at most `limit` iterations; a loop over an iterator carries the next `item`."""
        self._check_invariants(loop)
        limit_tensor = (
            tf.constant(graphs.UNLIMITED) if limit is None else tf.cast(self.tensor(limit), tf.int32)
        )
        body, graph = loop.body, loop.body.graph
        first_test, next_test = tests or (True, True)
        if body.raised is not None:
            next_test = True
        start = [t for v, a in zip(loop.init, loop.types, strict=True) for t in self.to_arrays(v, a)]
        with graph.as_default():
            is_indexed = body.item_inputs and not isinstance(body.source, IteratorSource)
            counter = body.item_inputs[0] if is_indexed else tf.compat.v1.placeholder(tf.int32, ())
            limit_input = tf.compat.v1.placeholder(tf.int32, ())
            carried = body.arguments
            if body.raised is None:
                carried = [
                    t for v, a in zip(loop.results, loop.types, strict=True) for t in self.to_arrays(v, a)
                ]
            test = tf.convert_to_tensor(self._flag(next_test))
            is_apart = (
                not item
                and all(map(self.is_array, loop.results))
                and is_separable(graph, test, list(map(self.tensor, loop.results)), carried)
            )
            test_inputs = [] if is_apart else [tf.compat.v1.placeholder(tf.bool, ())]
            item_inputs = body.item_inputs if item else []
            graph.inputs[:0] = [counter, limit_input, *test_inputs, *item_inputs, *body.arguments]
            following = body.following[0] if item and body.following else item_inputs
            outputs = [counter + 1, limit_input, *([] if is_apart else [test]), *following, *carried]

        def evaluate_test(*values: Any) -> Any:
            if tests is None and not item:
                return None
            if is_apart:
                return inline(graph, [test], list(zip(carried, values, strict=True)))[0]
            return values[0]

        graphs.close(graph, outputs)
        head = [*([] if is_apart else [tf.convert_to_tensor(first_test)]), *item]
        shapes = [*[t.shape for t in head], *[p.shape for a in loop.types for p in self.array_avals(a)]]
        results = graphs.build_while(
            graph, [*head, *start], list(map(tf.TensorShape, shapes)), limit_tensor,
            loop.options.get("parallel_iterations", 10), is_counted=limit is not None, test=evaluate_test,
        )  # fmt: skip
        iterations = limit if isinstance(limit, int) and tests is None else None
        pairs = zip(loop.init, loop.results, strict=True)
        lengths = [_length_after(before, after, iterations) for before, after in pairs]
        return self.from_arrays(loop.types, results[len(head) :], lengths)

    def _check_invariants(self, loop: Loop) -> None:
        for value, shape in loop.options.get("shape_invariants", ()):
            for initial, aval in zip(loop.init, loop.types, strict=True):
                widened = tf.TensorShape(getattr(aval, "shape", None))
                if initial is value and not widened.is_subtype_of(tf.TensorShape(shape)):
                    raise MismatchError(
                        f"a loop variable has the shape {widened}, but its shape invariant is {shape}",
                        why="the invariant must hold before the loop and after each iteration",
                        remedy=f"declare an invariant that {widened} fits, with None for each dimension "
                        "that changes",
                    )

    def elements(self, iterated: Any) -> tuple[Callable[[Sequence[Any]], Any], list[Any]]:
        source = item_source(self, iterated)
        return source.rebuild, [ElementType(source, i) for i in range(source.leaf_count)]

    def after(self, checks: Sequence[Any]) -> Any:
        """Return a context manager that makes the operations of its `with` block run after the checks."""
        return tf.control_dependencies(checks)

    def unstaged(self, value: Any) -> Any:
        if not isinstance(value, StagedList):
            return value
        length = known_length(value.count)
        return list(value) if length is not None and length <= MAX_LIST_LENGTH else value


def _length_of(value: Any) -> Any:
    if isinstance(value, (StagedList, Contents)):
        return value.count
    return len(value) if type(value) is list else None


def _common_length(first: Any, second: Any) -> Any:
    length = _length_of(first)
    return length if length == _length_of(second) else None


def _length_after(before: Any, after: Any, iterations: int | None) -> Any:
    """Return the length of a list after a loop of `iterations` iterations, or None if it is unknown."""
    start, end = _length_of(before), _length_of(after)
    if iterations is None or not isinstance(end, tuple) or start is None:
        return None
    appended = iterations * end[1]
    return (start[0], start[1] + appended) if isinstance(start, tuple) else start + appended
