"""Recursion under staged conditions: functions that become graphs of their own, and calls of these graphs.

When the trace meets a call of a function that is running, and a branch or loop body is captured in between,
the depth of the recursion is known only when the graph runs. The function is then traced into a *called
graph*. Its arguments are the staged arguments of the call, then what it changes outside of itself, and the
staged values that it captures. Each call inside becomes a `call` node. The trace is repeated until the types
settle: at first, nothing is known of the results, so a path that calls the function counts for nothing, and
the paths that end the recursion give the types.

Plain arguments that stay the same are part of the called graph. If they vary, the recursion is unrolled as
long as it ends within `MAX_UNROLLED` calls; otherwise numbers among them are staged.
"""

from __future__ import annotations

import functools
import inspect
import types
from collections.abc import Callable, Sequence
from typing import Any

from ... import staging
from ...core.closures import set_nothing
from ...core.in_flight import SKIPPED, running
from ...errors import AliasError
from ...errors.recursion import refusal
from ...staging.recursion import note_activation, running_activation
from ...staging.state.aliases import root_of
from ...staging.state.growing_lists import GrowLists
from ...staging.state.heap import is_older
from ...staging.state.missing_values import bound_parts
from ...staging.state.statement import Restage, Statement
from ...values.locations import Location, Path
from ...values.structures import Spec, unflatten
from ..ir.alias_analysis import AliasAnalysis
from ..ir.graph import Graph, Node
from ..ir.type_merging import merge_types
from ..tracing import recording
from ..tracing.containers.alternatives import Alternatives
from ..tracing.tensor import Staged
from ..tracing.trace import Builder, current_builder
from .called_graph import Results
from .outer_state import OuterState
from .recursive_arguments import Arguments, Retrace

MAX_UNROLLED = 100
MAX_TRACES = 20
_ALIAS = "it may share memory with an argument of a recursive function"


class Diverges(BaseException):
    """End an attempt to unroll a recursion that does not seem to end."""

    def __init__(self, code: types.CodeType):
        self.code = code


def recursive_callee(backend: Any, called: types.FunctionType) -> Callable[..., Any]:
    """Return what runs a function during a trace: a recursive function that is being traced is called."""
    recursion = current_builder().recursion
    while recursion is not None:
        if recursion.is_of(called):
            note_activation(called)
            return functools.partial(recursion.call_again, called)
        recursion = recursion.outer
    variables = running_activation(called, Recursion.trace_body.__code__)
    if variables is None:
        return called
    return functools.partial(_call_running, backend, called, variables)


def _call_running(
    backend: Any, called: types.FunctionType, variables: dict[str, Any], /, *args: Any, **kwargs: Any
) -> Any:
    """Call a function that is running with the given variables."""
    code, unrolled = called.__code__, current_builder().root.unrolled
    left = unrolled.get(code)
    if code in unrolled and left is None:
        return called(*args, **kwargs)
    try:
        recursion = Recursion(backend, called, variables, args, kwargs)
    except TypeError:  # the arguments do not match the parameters
        return called(*args, **kwargs)
    for leaf in recursion.leaves:
        if isinstance(leaf, Alternatives):
            leaf.ag__settle()
    if left is not None:
        unrolled[code] = left - 1
        if not recursion.varies or left <= 0:
            raise Diverges(code)
        return called(*args, **kwargs)
    if recursion.varies and _ends(backend, called, args, kwargs):
        unrolled[code] = None
        try:
            return called(*args, **kwargs)
        finally:
            del unrolled[code]
    if not recursion.can_stage:
        raise refusal(
            code,
            "arguments that are not numbers or arrays differ from call to call, and do not end the recursion",
            "pass numbers and arrays, and containers of a fixed structure",
        )
    return recursion.call_first()


def _ends(backend: Any, called: types.FunctionType, args: Any, kwargs: Any) -> bool:
    """Return whether the trace of a recursive call ends, without leaving anything in the graph."""
    code, unrolled = called.__code__, current_builder().root.unrolled
    unrolled[code] = MAX_UNROLLED
    noted = [] if running.flight is None else [running.flight.raised, running.flight.takers]
    before = [len(raised) for raised in noted]
    try:
        _statement(backend, called, (args, kwargs)).run(lambda: called(*args, **kwargs))
    except Diverges as error:
        if error.code is not code:
            raise
        return False
    except RecursionError:
        return False
    except (Exception, Restage):  # noqa: BLE001 - the call itself raises it again
        return True
    finally:
        del unrolled[code]
        for raised, count in zip(noted, before, strict=True):
            del raised[count:]
    return True


def _statement(backend: Any, called: types.FunctionType, roots: tuple[Any, ...]) -> Statement:
    return Statement(backend, (roots, called), (tuple, set_nothing), (), is_expression=True)


class _Trace(Statement):
    """The trace of a called graph as a statement."""

    def __init__(self, recursion: Recursion):
        self._recursion = recursion
        kinds = zip(recursion.leaves, recursion.kinds, strict=True)
        plain = tuple([leaf for leaf, kind in kinds if kind is None])
        closures = (plain, recursion.function)
        super().__init__(recursion.backend, closures, (tuple, set_nothing), (), is_expression=True)

    def replace(self, value: Any, make: Callable[[Any], Any], restage: Restage) -> str:
        if is_older(value):
            raise restage
        return super().replace(value, make, restage)

    def move(self, value: Any, other: Any) -> None:
        super().move(value, other)
        self._recursion.move(value, other)


class Recursion(Arguments):
    """A recursive function whose called graph is traced, with what is known of its arguments and results."""

    def __init__(
        self, backend: Any, called: types.FunctionType, variables: dict[str, Any], args: Any, kwargs: Any
    ):
        super().__init__(backend, called, variables, args, kwargs)
        self.name = self.code.co_name.removeprefix("ag__")
        self.parent: Builder = current_builder()
        self.outer: Recursion | None = self.parent.recursion
        self.state = OuterState()
        self.results: Results | None = None
        flight = running.flight
        self._attempts = [] if flight is None else [*flight.attempts, *flight.repeating]
        self.graph = Graph(self.name)
        self._calls = 0

    # Calls

    def call_first(self) -> Any:
        """Trace the called graph, and call it."""
        changed: dict[Any, Any] = {}
        for _ in range(MAX_TRACES):
            try:
                if self._trace(changed):
                    self._share_graph()
                    return self._emit(self.leaves)
            except Retrace as error:
                if error.recursion is not self:
                    raise
                changed = error.changed
        raise refusal(
            self.code,
            f"the types of its arguments and results still change after {MAX_TRACES} traces",
            "pass and return values of one type, number of dimensions and structure",
        )

    def _share_graph(self) -> None:
        """Call an equal graph of an earlier call, if there is one."""
        if self.outer is None:
            graphs = self.parent.root.called_graphs
            self.graph = next((graph for graph in graphs if graph.equals(self.graph)), self.graph)
            graphs.append(self.graph)

    def call_again(self, called: types.FunctionType, /, *args: Any, **kwargs: Any) -> Any:
        """Add a call to the called graph from inside of it."""
        try:
            parameters = self._bind(args, kwargs)
        except TypeError:
            return called(*args, **kwargs)
        self._stage_lists(parameters)
        leaves = self._accepted(*self._flatten(parameters))
        if leaves is None:
            running = running_activation(called, Recursion.trace_body.__code__)
            if running is None:
                return called(*args, **kwargs)
            return _call_running(self.backend, called, running, *args, **kwargs)
        self._check_outer_values()
        self._calls += 1
        if self.results is None:
            raise staging.AlwaysRaises
        return self._emit(leaves)

    def _check_outer_values(self) -> None:
        """Trace again if a call begins with outer values that are not staged, and differ from the first."""
        if arrays := self._statement.heap.changed():
            raise Restage(arrays)
        changes = self._statement.heap.changes()
        changed = {slot: self.flatten_outer(v) for slot, v in changes.items() if not self.is_inner(slot)}
        if not self.state.knows(self, changed):
            raise Retrace(self, changed)
        if self.state.widen_types():
            raise Retrace(self)

    def is_inner(self, slot: Location) -> bool:
        """Return whether a slot belongs to an exception that does not leave the function."""
        flight = running.flight
        if flight is None or slot.owner is not flight.state:
            return False
        raised = next((error for error in flight.raised if slot.key in error.names.values()), None)
        return raised is not None and not any(raised.attempt is known for known in self._attempts)

    def flatten_outer(self, value: Any) -> tuple[list[Any], Spec]:
        """Flatten an outer value. A container that is older than the trace is a leaf."""
        return self._statement.flatten(value)

    def restage(self, location: Location) -> None:
        """Have a list or dict staged before the first call, if a location belongs to one."""
        if isinstance(location.owner, list):
            raise GrowLists([location.owner])
        if type(location.owner) is dict:
            raise Restage([location.owner])

    # The trace

    def _trace(self, changed: dict[Any, Any]) -> bool:
        """Trace the called graph once, and return whether the assumptions of the trace were right.

        `changed` are outer values with which a call in an earlier trace has begun.
        """
        statement = self._statement = _Trace(self)

        def once() -> bool:
            self.state.note(self, changed)
            return self._trace_in(statement)

        return statement.settled(once)

    def _trace_in(self, statement: Statement) -> bool:
        self.graph, self._calls = Graph(self.name), 0
        indices = self.staged_arguments()
        kinds = [self.kinds[i] for i in indices]
        state = self.state
        placeholders: list[Any] = []
        arguments: list[Any] = []

        def enter(*given: Any) -> None:
            current_builder().recursion = self
            arguments[:] = self.leaves
            placeholders[:] = given[: len(indices)]
            for i, placeholder in zip(indices, placeholders, strict=True):
                own = self.leaves[i]
                placeholder.is_mutable = isinstance(own, Staged) and own.is_mutable
                placeholder.is_given = True
                arguments[i] = placeholder
            state.enter(given[len(indices) :], self.parent)

        passed: list[Any] = []

        def run() -> Any:
            passed[:] = [unflatten(self.spec, arguments)]
            return self.trace_body(passed[0])

        path = statement.run(run, [*kinds, *state.kinds], enter, SKIPPED)
        return self._settle(statement, path, placeholders, arguments, passed[0])

    def trace_body(self, parameters: Sequence[Any]) -> Any:
        """Run the function. The frame of this method marks where its activation begins."""
        bound = inspect.BoundArguments(
            self._signature,
            dict(zip(self._signature.parameters, parameters, strict=True)),
        )
        return self.function(*bound.args, **bound.kwargs)

    def _settle(
        self, statement: Statement, path: Path, placeholders: list[Any], arguments: list[Any], passed: Any
    ) -> bool:
        leaves, spec = self._flatten(dict(zip(self._signature.parameters, passed, strict=True)))
        if spec != self.spec or any(a is not b for a, b in zip(leaves, arguments, strict=True)):
            raise refusal(
                self.code,
                "it changes a list or dict among its arguments",
                "return the changed values, or write to an array",
            )
        builder = path.capture.builder
        indices = dict(zip(map(id, placeholders), self.staged_arguments(), strict=True))
        results = Results.of(self, statement, path, indices)
        written = [i for i, p in zip(self.staged_arguments(), placeholders, strict=True) if p.version]
        is_settled = self.state.settle(self, path, builder, written) or not self._calls
        is_settled &= results == self.results or not self._calls
        self.results = results
        own = [placeholders[list(indices.values()).index(i)] for i in written]
        for i, placeholder in zip(written, own, strict=True):
            left = merge_types(self.kinds[i], placeholder.type)
            is_settled &= left == self.kinds[i] or not self._calls
            self.kinds[i] = left
        if results.returns:
            values = [*results.values, *own, *self.state.values(path)]
            kinds = [*results.kinds, *(self.kinds[i] for i in written), *self.state.kinds]
            self.backend.close(path.capture, values, kinds)
        graph = builder.graph
        self.graph.arguments[:], self.graph.nodes[:] = graph.arguments, graph.nodes
        self.graph.results[:] = graph.results
        names = self._argument_names(len(graph.arguments))
        for argument, name in zip(graph.arguments, names, strict=True):
            argument.attrs["name"] = name
        if results.returns and is_settled:
            self.state.check_aliases(self, self.graph)
        return is_settled & results.note_aliases(AliasAnalysis(self.graph), self.graph)

    # Nodes

    def _emit(self, leaves: list[Any]) -> Any:
        """Add a `call` node and the writes that follow from it, and return the results of the call."""
        results, state = self.results, self.state
        assert results is not None
        for i in state.written_arguments:
            self._check_written(leaves, i)
        inputs = [self.backend.convert(leaves[i], self.kinds[i]) for i in self.staged_arguments()]
        node: Node = recording.add(
            "call", [*inputs, *state.inputs(self)], None, effect=True, graph=self.graph
        )
        if not results.returns:
            raise staging.AlwaysRaises
        kinds = [self.kinds[i] for i in state.written_arguments]
        outputs = iter(recording.outputs(node, [*results.kinds, *kinds, *state.kinds]))
        values = results.rebuild(outputs, leaves)
        for i in state.written_arguments:
            leaves[i].write_through(next(outputs))
        state.leave(outputs)
        self._share(results, values, leaves)
        if running.flight is not None:
            self._check_attempts()
            running.flight.go_on(self.backend)
            if results.is_left:
                raise staging.AlwaysRaises(in_flight=True)
            values = [*map(bound_parts, values)]
        return unflatten(results.spec, values)

    def _check_attempts(self) -> None:
        """Refuse an exception that a call raises inside of a `try` of the recursive function."""
        flight = running.flight
        if self._attempts != [*flight.attempts, *flight.repeating] and self.state.raises(flight.state):
            raise refusal(
                self.code,
                "it calls itself in a 'try' or 'with', and a 'try' catches what the call raises",
                "return a value that says whether it has failed",
            )

    def _check_written(self, leaves: list[Any], i: int) -> None:
        handle = leaves[i]
        if not self.backend.is_handle(handle):
            raise refusal(
                self.code, "it writes to an argument that is not a staged array here", "pass a staged array"
            )
        others = [leaf for j, leaf in enumerate(leaves) if j != i]
        others += [*self.state.handles, *(v for place in self.state.places for v in place.current(self))]
        root = root_of(handle)
        is_captured = any(root._node is node for node in self.state.captures)  # noqa: SLF001 - as it is now
        if is_captured or any(root is root_of(other) for other in others if isinstance(other, Staged)):
            raise AliasError(
                f"{self.name} changes {handle.noun} that has another name in it",
                why="the change would have to reach both names",
                remedy="pass a copy of one of them",
            )

    def _share(self, results: Results, values: list[Any], leaves: list[Any]) -> None:
        """Forbid writes to results that may share memory with arguments, and to these arguments."""
        shared = [values[i] for i in results.aliased]
        if shared:
            for value in (*shared, *leaves, *self.state.handles):
                if isinstance(value, Staged):
                    self.backend.share(value, _ALIAS)
