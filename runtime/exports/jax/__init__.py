"""Graphs as functions of JAX: each node is traced by a rule, conditions and loops as those of `jax.lax`.

`values` says what a node is while JAX traces, `run` walks over a graph, `rules` has the rule of each op,
`control` those of conditions and loops and `lists` those of lists. `captures` traces a branch or round to a
program, `paths` says what several of them leave. `engine` runs the graphs of `function` so.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import jax

from ...graph.ir import Graph
from ...graph.types import ArrayType, ListType, MaybeType, ScalarType, TupleType
from . import refused
from .rules import RULES
from .rules.functions import called
from .run import Run, as_numpy_computes
from .values import Grown, Said, is_known, said

__all__ = ["check_arguments", "traceable"]


def traceable(graph: Graph, *, list_room: int | None = None) -> Callable[..., list[Any]]:
    """A function of arrays that JAX can trace, from a graph's arguments to its results.

    Numbers are arrays without dimensions in it; text with values in it is an object whose `str()` is the
    text, and a list whose length depends on values an object with a length and items, once these are known.

    Args:
        graph: the graph.
        list_room: how many rounds a loop may have that makes a list longer and that nothing else bounds;
            without it such a loop is refused. More rounds raise when the program runs.

    Raises:
        UnsupportedFunctionError: the graph does what JAX cannot.
        ValueNeededError: a shape, or the greatest length of a list, depends on values.
        MismatchError: something has another shape on each path.
        OptionError: the graph computes with 64 bits, and JAX is told to have 32.

    >>> import autograph_rs as ag, jax, numpy as np
    >>> half = ag.function(lambda x: x / 2).get_concrete_function(ag.TensorSpec((2,), "float32"))
    >>> [result] = jax.jit(traceable(half.graph))(np.array([1, 3], "float32"))
    >>> print(result, result.dtype)
    [0.5 1.5] float32
    """

    def function(*arrays: Any) -> list[Any]:
        run = Run(RULES, called, room=list_room)
        with as_numpy_computes():
            results = run_graph(run, graph, arrays)
            return [_as_arrays(run, r, n.type) for r, n in zip(results, graph.results, strict=True)]

    return function


def check_arguments(graph: Graph) -> None:
    """Raise where JAX has no arrays of the dtype of an argument.

    Raises:
        OptionError: the graph's have 64 bits, and JAX is told to have 32.
        UnsupportedFunctionError: they are no numbers.
    """
    for node in graph.arguments:
        dtype = node.type.dtype
        if dtype.kind not in "biufc" or dtype.char in "gG" or not dtype.isnative:
            raise refused.unsupported(node, f"it has no arrays of dtype {dtype}")
        if jax.dtypes.canonicalize_dtype(dtype) != dtype:
            raise refused.no_precision(node, dtype)


def run_graph(run: Run, graph: Graph, arrays: Sequence[Any]) -> list[Any]:
    """The values of a graph's results for arrays, which become those of JAX."""
    run.prints = any(node.op == "print" for node in graph.walk())
    given = []
    for node, array in zip(graph.arguments, arrays, strict=True):
        run.node = node
        given.append(run.array(array, node.type))
    results = run.graph(graph, given)
    run.finish()
    return results


def _as_arrays(run: Run, value: Any, kind: Any) -> Any:
    """A result with arrays in the place of numbers."""
    if isinstance(value, str):
        return said(value)
    if isinstance(kind, MaybeType):
        return _as_arrays(run, value, kind.held)
    if isinstance(kind, ListType):
        if isinstance(value, Grown) and not is_known(value.length):
            return value
        return [_as_arrays(run, item, kind.element) for item in value]
    if isinstance(kind, TupleType):
        return tuple([_as_arrays(run, v, k) for v, k in zip(value, kind.parts, strict=True)])
    if isinstance(kind, (ArrayType, ScalarType)) and not isinstance(value, Said):
        return run.array(value, kind)
    return value
