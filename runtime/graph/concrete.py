"""One trace for one signature: a graph, and the compiled function that runs it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .. import staging
from ..backends import BACKENDS
from ..errors import LeakError, StagingError
from ..structures import Spec, flatten, unflatten
from ..tracebacks import FULL, at_user_frames, strip
from .compile import compile_graph
from .ir import Graph, Node
from .optimise import ALL, optimise
from .staged import Staged, Tensor, wrap
from .trace import Builder, building, trace_root
from .types import ArrayType, MaybeType, StagedType


class ConcreteFunction:
    """A graph with the structure of its arguments and results.

    `graph` is the optimised graph. Calling it runs the graph: positional arrays, one for each staged
    argument, in order, each of the dtype and shape of its place in the signature.

    Raises:
        StagingError: an argument that the graph writes to shares memory with another.

    >>> import autograph_rs as ag, numpy as np
    >>> @ag.function
    ... def scale(x, *, by):
    ...     return x * by
    >>> concrete = scale.get_concrete_function(ag.TensorSpec((2,)), by=3.0)
    >>> concrete(np.array([1.0, 2.0]))
    array([3., 6.])
    >>> print(concrete.structured_outputs)
    float64[2]
    """

    def __init__(
        self,
        graph: Graph,
        outputs: Spec,
        plain: list[Any],
        places: list[int | None],
        writes: list[int],
        optimisations: Sequence[str] = ALL,
    ):
        self.graph = graph
        self._outputs, self._plain, self._places, self._writes = outputs, plain, places, writes
        traced = list(graph.results)
        optimise(graph, optimisations)
        self._twins = _twins(traced, graph.results)
        self._compiled = compile_graph(graph)
        self._run = self._compiled.function
        kept = self._run.__globals__.values()
        self._constants = {id(v) for v in kept if isinstance(v, np.ndarray)}

    @property
    def python_source(self) -> str:
        """The Python that runs the graph."""
        return self._compiled.source

    @property
    def structured_outputs(self) -> Any:
        """The result, with types in the place of staged values."""
        types = [r.type for r in self.graph.results]
        return unflatten(
            self._outputs,
            [p if i is None else types[i] for p, i in zip(self._plain, self._places, strict=True)],
        )

    def __call__(self, *arrays: Any) -> Any:
        if self._writes and len(arrays) > 1:
            self._refuse_shared(arrays)
        try:
            results = self._run(*arrays)
        except Exception as error:
            if FULL:
                raise
            error.__traceback__ = self._user_traceback(error)
            raise
        if self._writes:
            first = len(results) - len(self._writes)
            written = dict(zip(self._writes, results[first:], strict=True))
            results = tuple(
                arrays[i] if (i := self._same_argument(r, written)) is not None else r
                for r in results[:first]
            )
            for index, value in written.items():
                arrays[index][...] = value
        if self._constants:
            results = tuple([r.copy() if id(r) in self._constants else r for r in results])
        if self._twins:
            results = tuple([_copied(r) if i in self._twins else r for i, r in enumerate(results)])
        leaves = [p if i is None else results[i] for p, i in zip(self._plain, self._places, strict=True)]
        return unflatten(self._outputs, leaves)

    def _refuse_shared(self, arrays: Sequence[Any]) -> None:
        """An argument that is written must not share memory with another: the other would not change."""
        for i in self._writes:
            for j, other in enumerate(arrays):
                if i != j and np.may_share_memory(arrays[i], other) and _overlap(arrays[i], other):
                    first, second = (self.graph.arguments[k].attrs["name"] for k in (i, j))
                    raise StagingError(
                        f"{self.graph.name} writes to its argument {first!r}, which shares memory with "
                        f"{second!r}. Give it a copy of one of them"
                    )

    @staticmethod
    def _same_argument(value: Any, written: dict[int, Any]) -> int | None:
        return next((i for i, w in written.items() if w is value), None)

    def _user_traceback(self, error: BaseException) -> Any:
        node = self._compiled.node_at(error.__traceback__)
        return at_user_frames(error, () if node is None else node.source)


def _twins(traced: Sequence[Node], results: Sequence[Node]) -> set[int]:
    """The places of results that were values of their own before equal ones were made one."""
    first: dict[Node, Node] = {}
    return {
        i for i, (old, new) in enumerate(zip(traced, results, strict=True))
        if first.setdefault(new, old) is not old
    }  # fmt: skip


def _copied(value: Any) -> Any:
    return value.copy() if isinstance(value, (np.ndarray, list)) else value


def _overlap(first: Any, second: Any) -> bool:
    effort: Any = 100_000  # NumPy takes any int, its annotations two
    try:
        return np.shares_memory(first, second, max_work=effort)
    except np.exceptions.TooHardError:
        return True


def trace(
    function: Callable[..., Any],
    arguments: Any,
    types: Sequence[StagedType | None],
    names: Sequence[str],
    name: str,
    backend: Any,
    optimisations: Sequence[str] = ALL,
) -> ConcreteFunction:
    """Run `function(*args, **kwargs)` on staged values and keep what it did.

    Args:
        function: the converted function.
        arguments: `(args, kwargs)`.
        types: for each leaf of `arguments` the type under which it is staged, or None to leave it plain.
        names: a name for each leaf.
        name: the name of the graph.
        backend: the graph backend.
        optimisations: the names of those to use.
    """
    leaves, spec = flatten(arguments)
    builder = Builder(name)
    with building(builder, backend):
        staged = [
            leaf if kind is None else wrap(builder.argument(kind, label), builder)
            for leaf, kind, label in zip(leaves, types, names, strict=True)
        ]
        for leaf, handle in zip(leaves, staged, strict=True):
            if isinstance(leaf, np.ndarray) and isinstance(handle, Tensor):
                handle.in_place = True  # an array without dimensions too
        inputs = [s for s, kind in zip(staged, types, strict=True) if kind is not None]
        before = [handle.node() for handle in inputs]
        args, kwargs = unflatten(spec, staged)
        value: Any = None
        try:
            value = trace_root(lambda: function(*args, **kwargs))
        except staging.AlwaysRaises:
            pass
        except Exception as error:
            strip(error)
            raise
        outputs, structure = flatten(value)
        plain: list[Any] = []
        places: list[int | None] = []
        for leaf in outputs:
            kept = _as_result(leaf)
            places.append(None if kept is None else len(builder.graph.results))
            plain.append(leaf if kept is None else None)
            if kept is not None:
                builder.graph.results.append(kept)
        writes = []
        for i, (handle, node) in enumerate(zip(inputs, before, strict=True)):
            if handle.node() is not node:
                writes.append(i)
                builder.graph.results.append(handle.node())
    return ConcreteFunction(builder.graph, structure, plain, places, writes, optimisations)


def _as_result(leaf: Any) -> Node | None:
    if isinstance(leaf, Staged):
        if isinstance(leaf.type, MaybeType):
            leaf = staging.bound(staging.ACTIVE[-1], leaf)
        return leaf.node()
    if BACKENDS[type(leaf)] is not None:
        raise LeakError(f"{leaf!r} cannot be returned: use list() on it, or a loop")
    return None


def array_type(value: Any) -> ArrayType | None:
    """The type under which an argument is staged; None for what stays a Python value."""
    if isinstance(value, (np.ndarray, np.generic)):
        return ArrayType(value.dtype, value.shape)
    if isinstance(value, Tensor):
        return value.type
    return None


__all__ = ["ConcreteFunction", "array_type", "trace"]
