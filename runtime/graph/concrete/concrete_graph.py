"""One trace for one signature: a graph, and the compiled function that runs it."""

from __future__ import annotations

import copy
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .. import staging
from ..backends import BACKENDS
from ..errors import AutographError
from ..places import Place
from ..structures import Spec, flatten, unflatten
from ..tracebacks import FULL, at_user_frames, note_place, put, strip
from .compile import Compiled, compile_graph
from .containers import Change, apply, changes, refuse_repeated, snapshot
from .engine import Engine
from .ir import Graph, Node
from .memory import array_of, copied, each_array, memory_of, overlap, own_array
from .modes import MODES
from .optimise import ALL, optimise
from .refused import returned_iterable, shared_argument
from .returned import Returned
from .specs import TensorSpec, known
from .staged import Staged, Tensor, wrap
from .trace import Root, building, trace_root
from .types import ArrayType, MaybeType, ScalarType, StagedType
from .variables import Variable


@dataclass
class Outputs:
    """How a function's result is made of its graph's results."""

    spec: Spec
    plain: list[Any]
    places: list[int | None]

    made: frozenset[int] = frozenset()
    """The places of plain values that the traced function made, each call anew."""

    def build(self, results: Sequence[Any]) -> Any:
        plain = self.plain
        if self.made:
            plain = [copy.copy(p) if n in self.made else p for n, p in enumerate(plain)]
        return unflatten(
            self.spec, [p if i is None else results[i] for p, i in zip(plain, self.places, strict=True)]
        )


@dataclass
class Inputs:
    """What a graph's arguments are: leaves of the call's arguments, then variables.

    Args:
        spec: the structure of `(args, kwargs)`.
        leaves: for each leaf its `TensorSpec`, the plain number or text, or the `Identity` of the object.
        state: for each variable that the graph reads or writes its place among the leaves, or itself.
        forms: for leaves of no dimensions "array" or "scalar", where only one of them will do.
    """

    spec: Spec
    leaves: list[Any]
    state: list[Any] = field(default_factory=list)
    forms: dict[int, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.staged = [i for i, leaf in enumerate(self.leaves) if isinstance(leaf, TensorSpec)]

    def variables(self, leaves: Sequence[Any]) -> list[Variable]:
        return [leaves[v] if isinstance(v, int) else v for v in self.state]

    def build(self) -> Any:
        return unflatten(self.spec, self.leaves)


class ConcreteGraph:
    """The optimised graph of one trace, compiled.

    A graph that `lasts` does for the next call too; where the traced code raised, that may be so this
    time only.
    `graph` runs on arrays and nothing else; `run` gives it the staged leaves of a call's arguments and
    the variables, and puts back what the graph leaves in both.

    Args:
        graph: the graph as it was traced.
        inputs: what its arguments are.
        outputs: how the function's result is made of its results.
        writes: the arguments that it changes; what they become are its last results.
        changed: what becomes of containers among the arguments.
        optimisations: the names of those to use.
        twins: the results that are copied, being equal to others; then the graph is optimised already.
        engine: what runs the graph in the place of the compiled function.
    """

    def __init__(
        self,
        graph: Graph,
        inputs: Inputs,
        outputs: Outputs,
        writes: list[int],
        changed: list[Change],
        *,
        optimisations: Sequence[str] = ALL,
        twins: set[int] | None = None,
        engine: Callable[[Graph, Inputs], Engine] | None = None,
    ):
        self.graph = graph
        self.inputs, self.outputs = inputs, outputs
        self.lasts = True
        self.writes, self.changes = writes, changed
        if twins is None:
            traced = list(graph.results)
            optimise(graph, optimisations)
            graph.settle()
            twins = _twins(traced, graph.results)
        self.twins = twins
        self._compiled = compile_graph(graph)
        self._engine = None if engine is None else engine(graph, inputs)
        self._run: Callable[..., tuple] = self._engine or self._compiled.function
        self._checked: Compiled | None = None
        kept = self._compiled.function.__globals__.values()
        self._constants = {id(memory_of(v)) for v in kept if isinstance(v, np.ndarray)}

    @property
    def direct(self) -> Callable[..., tuple[Any]] | None:
        """What computes a call's result, in a tuple, if its arrays are all that a call has to give."""
        busy = self.writes or self.changes or self.twins or self._constants or self.inputs.state
        if busy or not self.lasts or None in self.outputs.places:
            return None
        run, build = self._run, self.outputs.build
        if self.outputs.spec.kind is None:
            return run
        return lambda *args: (build(run(*args)),)

    @property
    def python_source(self) -> str:
        """The Python that runs the graph."""
        return self._compiled.source

    @property
    def structured_outputs(self) -> Any:
        """The result, with a `TensorSpec` or a type in the place of each staged value."""
        return self.outputs.build([_described(r.type) for r in self.graph.results])

    def run(self, leaves: Sequence[Any], arguments: Any = None) -> Any:
        """The result for the leaves of `arguments`, of which the staged ones are arrays."""
        arrays = [leaves[i] for i in self.inputs.staged]
        variables = self.inputs.variables(leaves) if self.inputs.state else []
        if self.writes and len(arrays) + len(variables) > 1:
            self._refuse_shared([*arrays, *variables])
        if self.changes:
            refuse_repeated(arguments, self.graph.name)
        run = self._run if not MODES else self._checked_run()
        try:
            results = run(*arrays, *[v.value for v in variables])
        except Exception as error:
            self.at_user_code(error)
            raise
        if variables:
            results = tuple([each_array(r, lambda array: own_array(array, variables)) for r in results])
        if self.writes:
            results = self._put_back([*arrays, *variables], results)
        if self._constants:
            results = tuple([each_array(r, self._new) for r in results])
        if self.twins:
            results = tuple([copied(r) if i in self.twins else r for i, r in enumerate(results)])
        if self.changes:
            apply(self.changes, arguments, results)
        return self.outputs.build(results)

    def _new(self, array: np.ndarray) -> np.ndarray:
        """An array of a result, which is no constant of the graph, nor a part of one."""
        return array.copy() if id(memory_of(array)) in self._constants else array

    def _put_back(self, targets: list[Any], results: tuple) -> tuple:
        """Give the arguments and variables that the graph writes what it left in them."""
        first = len(results) - len(self.writes)
        written = dict(zip(self.writes, results[first:], strict=True))
        arrays = {id(w): targets[i] for i, w in written.items() if not isinstance(targets[i], Variable)}
        results = tuple([arrays.get(id(r), r) for r in results[:first]])
        if len(written) > 1:
            written = {i: copied(w) if any(overlap(w, t) for t in targets) else w for i, w in written.items()}
        for index, value in written.items():
            target = targets[index]
            array = target.array if isinstance(target, Variable) else target
            array[...] = value
        return results

    def _refuse_shared(self, arrays: Sequence[Any]) -> None:
        """An argument that is written must not share memory with another: the other would not change."""
        for i in self.writes:
            for j, other in enumerate(arrays):
                if i != j and overlap(array_of(arrays[i]), other):
                    first, second = (self.graph.arguments[k].attrs["name"] for k in (i, j))
                    raise shared_argument(self.graph.name, first, second)

    def at_user_code(self, error: BaseException) -> None:
        """Let an error of the running graph come from the user's lines."""
        if FULL:
            return
        compiled = [c for c in (self._compiled, self._checked, self._engine) if c is not None]
        found = (c.node_at(error.__traceback__) for c in compiled)
        node = next((node for node in found if node is not None), None)
        places = () if node is None else node.places
        if isinstance(error, AutographError):
            error.place = next(iter(places[-1:]), None)
        put(error, "__traceback__", self._traceback(error, places))

    def _traceback(self, error: BaseException, places: Sequence[Place]) -> Any:
        return at_user_frames(error, places)

    def _checked_run(self) -> Callable[..., tuple]:
        if "numerics" not in MODES:
            return self._run
        if self._checked is None:
            self._checked = compile_graph(self.graph, checked=True)
        return self._checked.function


def _described(kind: StagedType) -> Any:
    if isinstance(kind, ArrayType):
        return TensorSpec(kind.shape, kind.dtype)
    return kind.python if isinstance(kind, ScalarType) else kind


def _twins(traced: Sequence[Node], results: Sequence[Node]) -> set[int]:
    """The places of results that were values of their own before equal ones were made one."""
    first: dict[Node, Node] = {}
    return {
        i for i, (old, new) in enumerate(zip(traced, results, strict=True))
        if first.setdefault(new, old) is not old
    }  # fmt: skip


def trace(
    function: Callable[..., Any],
    arguments: Any,
    specs: Sequence[TensorSpec | None],
    names: Sequence[str],
    name: str,
    backend: Any,
    *,
    may_create: bool = True,
    optimisations: Sequence[str] = ALL,
    engine: Callable[[Graph, Inputs], Engine] | None = None,
) -> tuple[ConcreteGraph, bool]:
    """Run `function(*args, **kwargs)` on staged values; what it did, and whether it made variables.

    Args:
        function: the converted function.
        arguments: `(args, kwargs)`.
        specs: for each leaf of `arguments` the spec under which it is staged, or None to leave it plain.
        names: a name for each leaf.
        name: the name of the graph.
        backend: the graph backend.
        may_create: whether the function may make variables.
        optimisations: the names of those to use.
        engine: what runs the graph; by default NumPy does.
    """
    leaves, spec = flatten(arguments, changeable=True)
    builder = Root(name, may_create=may_create)
    with building(builder, backend):
        staged = [
            leaf if kind is None else wrap(builder.argument(kind.type, label), builder)
            for leaf, kind, label in zip(leaves, specs, names, strict=True)
        ]
        for leaf, handle in zip(leaves, staged, strict=True):
            if isinstance(leaf, np.ndarray) and isinstance(handle, Tensor):
                handle.in_place = True  # an array without dimensions too
        handles = [s for s, kind in zip(staged, specs, strict=True) if kind is not None]
        for leaf in leaves:
            if isinstance(leaf, Variable):
                builder.state_of(leaf)
        args, kwargs = unflatten(spec, staged)
        before = snapshot((args, kwargs))
        builder.given = [container for _, container, _ in before]
        raised: list[Exception] = []

        def run() -> Any:
            try:
                return function(*args, **kwargs)
            except staging.AlwaysRaises:
                return None
            except Exception as error:
                if not backend.raise_last(error):
                    note_place(error, sys._getframe())
                    strip(error)
                    raise
                raised.append(error)
                return None

        value = trace_root(run)
        results = builder.graph.results
        returned = Returned()
        outputs, structure = returned.flatten(value)
        made = Outputs(structure, *_results(results, outputs))
        known_before = [*leaves, *_outer_values(function)]
        made.made = frozenset(
            n for n, value in enumerate(made.plain)
            if isinstance(value, (np.ndarray, set, bytearray)) and not any(value is k for k in known_before)
        )  # fmt: skip
        changed = changes(before, returned.flatten, lambda leaves: _results(results, leaves))
        returned.check(value, builder.given)
        handles += [handle for _, handle in builder.state.values()]
        own = builder.graph.arguments
        writes = [i for i, handle in enumerate(handles) if handle.node() is not own[i]]
        results += [handles[i].node() for i in writes]
    places = {id(leaf): i for i, leaf in reversed(list(enumerate(leaves)))}
    state = [places.get(key, variable) for key, (variable, _) in builder.state.items()]
    given = [known(leaf) if kind is None else kind for leaf, kind in zip(leaves, specs, strict=True)]
    inputs = Inputs(spec, given, state, _forms(leaves))
    concrete = ConcreteGraph(
        builder.graph, inputs, made, writes, changed, optimisations=optimisations, engine=engine
    )
    concrete.lasts = not raised
    return concrete, builder.created


def _forms(leaves: Sequence[Any]) -> dict[int, str]:
    kinds = ((np.generic, "scalar"), (np.ndarray, "array"))
    return {
        i: form
        for i, leaf in enumerate(leaves)
        for kind, form in kinds
        if isinstance(leaf, kind) and leaf.shape == ()
    }


def _outer_values(function: Any) -> Iterator[Any]:
    """What a function can return without having made it: its globals and what it closes over."""
    inner = getattr(function, "func", function)
    inner = getattr(inner, "__func__", inner)
    yield from getattr(inner, "__globals__", {}).values()
    for cell in getattr(inner, "__closure__", None) or ():
        try:
            yield cell.cell_contents
        except ValueError:
            continue


def _results(results: list[Node], leaves: Sequence[Any]) -> tuple[list[Any], list[int | None]]:
    """Make staged leaves results of the graph; the plain leaves, and the places of the staged ones."""
    plain: list[Any] = []
    places: list[int | None] = []
    for leaf in leaves:
        kept = _as_result(leaf)
        places.append(None if kept is None else len(results))
        plain.append(leaf if kept is None else None)
        if kept is not None:
            results.append(kept)
    return plain, places


def _as_result(leaf: Any) -> Node | None:
    if isinstance(leaf, Staged):
        if isinstance(leaf.type, MaybeType):
            leaf = staging.bound(staging.ACTIVE[-1], leaf)
        return leaf.node()
    if BACKENDS[type(leaf)] is not None:
        raise returned_iterable(leaf.op)
    return None
