"""Concrete graphs: the graph of one trace, and the compiled function that runs it."""

from __future__ import annotations

import functools
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Protocol

import numpy as np

from ... import staging
from ...backends import BACKENDS
from ...core.active_backends import active_backend
from ...core.in_flight import running
from ...debugging.call_sites import note_skipped_finally
from ...debugging.positions import CodePosition
from ...debugging.tracebacks import (
    FULL,
    add_staging_note,
    set_error_attribute,
    strip_internal_frames,
    synthetic_traceback,
)
from ...errors import AutographError, LeakError
from ...staging.state.object_merging import MergeByField
from ...values.structures import flatten, unflatten
from ..compile import Compiled, compile_graph
from ..ir.graph import Graph, Node
from ..ir.types import ArrayType, MaybeType, ScalarType, StagedType
from ..optimise import ALL, optimise
from ..state.variables import Variable
from ..tracing.containers.alternatives import Alternatives
from ..tracing.containers.objects import known_node
from ..tracing.containers.references import MakeObjects
from ..tracing.modes import MODES
from ..tracing.selected_values import InstanceKinds
from ..tracing.specs import TensorSpec, weak_leaf
from ..tracing.tensor import Staged, Tensor, wrap
from ..tracing.trace import RootBuilder, trace_root, tracing_into
from ..tracing.unsupported import shared_argument
from .argument_containers import Change, apply, changes, check_distinct_containers, snapshot
from .inputs_and_outputs import Inputs, Outputs
from .memory import array_of, copied, copy_where, memory_of, overlap, with_memory_of
from .returned_objects import ReturnedObjects

_lock = threading.Lock()  # a graph is compiled with checks at most once


class ConcreteGraph:
    """The optimized and compiled graph of one trace.

    The graph itself computes arrays from arrays. `run` passes it the staged leaves of a call's arguments and
    the Variables, and writes their new values back. `is_reusable` is False if the traced code raised, since
    the next call may not raise.

    `writes` are the indices of arguments that the graph writes to; its last results are their new values.
    `changes` are changes to containers among the arguments. `copied_results` are the indices of results that
    must be copied because an optimization merged them with others; if given, the graph must already be
    optimized. `engine` creates the function that runs the graph; by default, the graph is compiled to NumPy
    calls.
    """

    def __init__(
        self,
        graph: Graph,
        inputs: Inputs,
        outputs: Outputs,
        writes: list[int],
        changes: list[Change],
        *,
        optimisations: Sequence[str] = ALL,
        copied_results: set[int] | None = None,
        engine: Callable[[Graph, Inputs], Engine | None] | None = None,
    ):
        self.graph = graph
        self.inputs, self.outputs = inputs, outputs
        self.is_reusable = True
        self.writes, self.changes = writes, changes
        if copied_results is None:
            traced_results = list(graph.results)
            optimise(graph, optimisations)
            graph.resolve_sources()
            copied_results = _merged_results(traced_results, graph.results)
        self.copied_results = copied_results
        self.engine = None if engine is None else engine(graph, inputs)
        self._run: Callable[..., tuple] = (
            self._compiled.function if self.engine is None else self.engine.function
        )
        self._checked: Compiled | None = None
        self._constants = {id(memory_of(v)) for v in _constants(graph)}
        self._fast_path: Callable[..., tuple] | None = None
        self._listeners: list[Callable[[Callable[..., tuple]], None]] = []
        if self.engine is not None:
            self.engine.on_change = self._replace_function

    @functools.cached_property
    def _compiled(self) -> Compiled:
        """The graph compiled to NumPy calls."""
        return compile_graph(self.graph)

    def _replace_function(self) -> None:
        """Run another function from the next call on."""
        assert self.engine is not None
        self._run, old, self._fast_path = self.engine.function, self._fast_path, None
        listeners, self._listeners = self._listeners, []
        for forget in listeners:
            if old is not None:
                forget(old)

    def fast_path_function(
        self, forget: Callable[[Callable[..., tuple]], None]
    ) -> Callable[..., tuple[Any]] | None:
        """Return a function from a call's arrays to a 1-tuple of its result, or None if a call needs more.

        When another function replaces it, `forget` is called with it.
        """
        has_more = self.writes or self.changes or self.copied_results or self._constants or self.inputs.state
        if has_more or not self.is_reusable or None in self.outputs.indices:
            return None
        if self._fast_path is None:
            run, build = self._run, self.outputs.build
            self._fast_path = run if self.outputs.spec.kind is None else lambda *args: (build(run(*args)),)
        if self.engine is not None:
            self._listeners.append(forget)
        return self._fast_path

    @property
    def python_source(self) -> str:
        """The source of the compiled function."""
        return self._compiled.source

    @property
    def structured_outputs(self) -> Any:
        """The result, with a `TensorSpec` or a type in place of each staged value."""
        return self.outputs.build([_type_spec(r.type) for r in self.graph.results])

    @property
    def function(self) -> Callable[..., tuple]:
        """The function from the graph's arguments to its results. It writes to no argument."""
        return self._run

    def run(self, leaves: Sequence[Any], arguments: Any = None, program: Compiled | None = None) -> Any:
        """Run the graph on the leaves of `arguments` and return the function's result.

        `program` replaces the compiled function that computes the results.
        """
        arrays = [leaves[i] for i in self.inputs.staged]
        variables = self.inputs.variables(leaves) if self.inputs.state else []
        if self.writes and len(arrays) + len(variables) > 1:
            self._check_unaliased([*arrays, *variables])
        if self.changes:
            check_distinct_containers(arguments, self.graph.name)
        run = program.function if program else self._run if not MODES else self._checked_run()
        try:
            results = run(*arrays, *[v.value for v in variables])
        except Exception as error:
            self.set_user_traceback(error, program)
            raise
        if variables:
            results = copy_where(results, lambda a: any(np.may_share_memory(a, v.array) for v in variables))
        if self.writes:
            results = self._write_back([*arrays, *variables], results)
        if self._constants:
            results = copy_where(results, lambda array: id(memory_of(array)) in self._constants)
        if self.copied_results:
            results = tuple([copied(r) if i in self.copied_results else r for i, r in enumerate(results)])
        if self.changes:
            apply(self.changes, arguments, results)
        return self.outputs.build(results)

    def _write_back(self, targets: list[Any], results: tuple) -> tuple:
        """Write the new values into arguments and variables, and return the remaining results."""
        count = len(results) - len(self.writes)
        written = dict(zip(self.writes, results[count:], strict=True))
        results = results[:count]
        for i, w in written.items():
            if w is not targets[i] and not isinstance(targets[i], Variable):
                moved = {id(r): with_memory_of(targets[i], w, r) for r in results}
                results = tuple([moved[id(r)] for r in results])
        if len(written) > 1:
            written = {i: copied(w) if any(overlap(w, t) for t in targets) else w for i, w in written.items()}
        for index, value in written.items():
            array_of(targets[index])[...] = value
        return results

    def _check_unaliased(self, arrays: Sequence[Any]) -> None:
        """Raise `AliasError` if a written argument shares memory with another, which would stay unchanged."""
        for i in self.writes:
            for j, other in enumerate(arrays):
                if i != j and overlap(array_of(arrays[i]), other):
                    first, second = (self.graph.arguments[k].attrs["name"] for k in (i, j))
                    raise shared_argument(self.graph.name, first, second)

    def set_user_traceback(self, error: BaseException, program: Compiled | None = None) -> None:
        """Replace the traceback of a run-time error with one that leads through the user's code.

        `program` is what ran in place of the graph's own function, if anything did.
        """
        if FULL:
            return
        numpy = self.__dict__.get("_compiled")  # not compiled if another engine runs the graph
        compiled = [c for c in (numpy, self._checked, self.engine, program) if c is not None]
        nodes = (c.node_at(error.__traceback__) for c in compiled)
        node = next((node for node in nodes if node is not None), None)
        places = () if node is None else node.places
        if isinstance(error, AutographError):
            error.place = next(iter(places[-1:]), None)
        elif node is not None and node.op != "raise":
            note_skipped_finally(error, places)
        set_error_attribute(error, "__traceback__", self._traceback(error, places))

    def _traceback(self, error: BaseException, places: Sequence[CodePosition]) -> Any:
        return synthetic_traceback(error, places)

    def _checked_run(self) -> Callable[..., tuple]:
        if "numerics" not in MODES:
            return self._run
        with _lock:
            if self._checked is None:
                self._checked = compile_graph(self.graph, checked=True)
            return self._checked.function


def _constants(graph: Graph) -> Iterator[np.ndarray]:
    """Yield the arrays that a graph contains."""
    for node in graph.all_nodes():
        for value in node.attrs.values():
            if isinstance(value, np.ndarray):
                yield value
            elif isinstance(value, (tuple, list, dict)):
                yield from (leaf for leaf in flatten(value)[0] if isinstance(leaf, np.ndarray))


def _type_spec(kind: StagedType) -> Any:
    if isinstance(kind, ArrayType):
        return TensorSpec(kind.shape, kind.dtype)
    return kind.python if isinstance(kind, ScalarType) else kind


def _merged_results(traced: Sequence[Node], results: Sequence[Node]) -> set[int]:
    """Return the indices of results that an optimization merged with an earlier, separate result."""
    first: dict[Node, Node] = {}
    return {
        i for i, (old, new) in enumerate(zip(traced, results, strict=True))
        if first.setdefault(new, old) is not old
    }  # fmt: skip


def trace_once(
    function: Callable[..., Any],
    arguments: Any,
    specs: Sequence[TensorSpec | None],
    names: Sequence[str],
    name: str,
    backend: Any,
    *,
    may_create: bool = True,
    optimisations: Sequence[str] = ALL,
    engine: Callable[[Graph, Inputs], Engine | None] | None = None,
    instance_kinds: InstanceKinds,
) -> tuple[ConcreteGraph, bool]:
    """Trace `function(*args, **kwargs)`; return its graph, and whether it created Variables.

    `arguments` is `(args, kwargs)`. `specs` has the spec of each leaf to stage, or None for a plain leaf;
    `names` has a name for each leaf. `may_create` allows the function to create Variables.
    """
    leaves, spec = flatten(arguments, mutable_dataclasses=True)
    builder = RootBuilder(name, may_create=may_create)
    builder.instance_kinds = instance_kinds
    running.has_tried = False
    with tracing_into(builder, backend):
        staged = [
            leaf if kind is None else wrap(builder.argument(kind.type, label), builder)
            for leaf, kind, label in zip(leaves, specs, names, strict=True)
        ]
        for leaf, handle, kind in zip(leaves, staged, specs, strict=True):
            if kind is not None:
                handle.is_given = True
            if isinstance(leaf, np.ndarray) and isinstance(handle, Tensor):
                handle.is_mutable = True  # even without dimensions
        handles = [s for s, kind in zip(staged, specs, strict=True) if kind is not None]
        for leaf in leaves:
            if isinstance(leaf, Variable):
                builder.handle_of(leaf)
        args, kwargs = unflatten(spec, staged)
        before = snapshot((args, kwargs))
        builder.argument_containers = [container for _, container, _ in before]
        raised: list[Exception] = []

        def run() -> Any:
            try:
                values = [function, args, kwargs]
                return staging.run_function(backend, lambda: function(*args, **kwargs), values)
            except staging.AlwaysRaises:
                return None
            except (MakeObjects, MergeByField) as error:
                raise error.refusal() from None
            except Exception as error:
                builder.selected.check()
                if not backend.raise_last(error):
                    add_staging_note(error, sys._getframe())
                    strip_internal_frames(error)
                    raise
                raised.append(error)
                return None

        value = trace_root(run)
        builder.selected.check()
        results = builder.graph.results
        returned = ReturnedObjects()
        output_leaves, structure = returned.flatten(value)
        outputs = Outputs(structure, *_add_results(results, output_leaves))
        existing = [*leaves, *_outer_values(function)]
        outputs.fresh = frozenset(
            n for n, value in enumerate(outputs.plain)
            if isinstance(value, (np.ndarray, set, bytearray)) and not any(value is v for v in existing)
        )  # fmt: skip
        container_changes = changes(before, returned.flatten, lambda leaves: _add_results(results, leaves))
        returned.check(value, builder.argument_containers)
        handles += [handle for _, handle in builder.handles.values()]
        own = builder.graph.arguments
        writes = [i for i, handle in enumerate(handles) if handle.node() is not own[i]]
        results += [handles[i].node() for i in writes]
    leaf_indices = {id(leaf): i for i, leaf in reversed(list(enumerate(leaves)))}
    state = [leaf_indices.get(key, variable) for key, (variable, _) in builder.handles.items()]
    input_leaves = [
        weak_leaf(leaf) if kind is None else kind for leaf, kind in zip(leaves, specs, strict=True)
    ]
    forms = {
        i: "array" if isinstance(leaf, np.ndarray) else "scalar"
        for i, leaf in enumerate(leaves)
        if isinstance(leaf, (np.generic, np.ndarray)) and leaf.shape == ()
    }
    inputs = Inputs(spec, input_leaves, state, forms)
    concrete = ConcreteGraph(
        builder.graph, inputs, outputs, writes, container_changes, optimisations=optimisations, engine=engine
    )
    concrete.is_reusable = not raised
    return concrete, builder.created


def _outer_values(function: Any) -> Iterator[Any]:
    """Yield the values that a function can return without creating them: globals and closure contents."""
    inner = getattr(function, "func", function)
    inner = getattr(inner, "__func__", inner)
    yield from getattr(inner, "__globals__", {}).values()
    for cell in getattr(inner, "__closure__", None) or ():
        try:
            yield cell.cell_contents
        except ValueError:
            continue


def _add_results(results: list[Node], leaves: Sequence[Any]) -> tuple[list[Any], list[int | None]]:
    """Add staged leaves to the results of a graph; return the plain leaves and the indices of the results."""
    plain: list[Any] = []
    indices: list[int | None] = []
    nodes = {id(leaf): _result_node(leaf) for leaf in leaves}  # one value is one array
    for leaf in leaves:
        node = nodes[id(leaf)]
        indices.append(None if node is None else len(results))
        plain.append(leaf if node is None else None)
        if node is not None:
            results.append(node)
    return plain, indices


def _result_node(leaf: Any) -> Node | None:
    if isinstance(leaf, Staged):
        if isinstance(leaf.type, MaybeType):
            leaf = staging.bound(active_backend(), leaf)
        if isinstance(leaf, Tensor):
            leaf.recompute_written_views()
        return leaf.passed_on() if isinstance(leaf, Alternatives) else leaf.node()
    if BACKENDS[type(leaf)] is not None:
        raise LeakError(
            f"a staged {leaf.op} is returned",
            why="it is an iterable that exists only while the graph runs",
            remedy="return a list of its items, or the results of a loop over it",
        )
    return known_node(leaf)


class Engine(Protocol):
    """Interface of what runs one graph on NumPy arrays."""

    function: Callable[..., tuple]
    """From arrays to the graph's results, each of the type that the graph declares."""
    on_change: Callable[[], None]
    """To be called after `function` has been replaced."""

    def node_at(self, traceback: Any) -> Node | None:
        """Return the node that raised an error, given the error's traceback."""
