"""Concrete functions for other systems: how a call of theirs meets the graph's arguments and results."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from autograph_rs.runtime.errors import OptionError, StateError, told

from . import signatures
from .frameworks import imported


def check_variables(variables: Any) -> None:
    """Raise unless `variables=` says how a function of another system has them.

    Raises:
        OptionError: it does not.
    """
    if variables not in ("read", "explicit"):
        raise OptionError(
            f"variables= is 'read' or 'explicit', not {variables!r}",
            why="what a graph of another system has are arrays: its arguments and results",
            remedy="give variables='explicit' to have the Variables' values among these",
        )


def check_writes(concrete: Any, variables: str) -> None:
    """Raise where what the graph of a concrete function changes would be lost.

    Raises:
        StateError: it writes what its caller would not see.
    """
    graph = concrete.graph
    if concrete.concrete.changes:
        raise StateError(
            f"{concrete.name} changes a list, dict or object among its arguments",
            why="a function of another system gives results, and changes nothing",
            remedy="return the new one",
        )
    if concrete.concrete.writes and variables != "explicit":
        names = ", ".join(repr(graph.arguments[i].attrs["name"]) for i in concrete.concrete.writes)
        raise StateError(
            f"{concrete.name} writes {names}",
            why="arrays of another system are values, so that what is written would be lost",
            remedy="give variables='explicit' to have it returned, or write a copy: x = x.copy()",
        )


def to_jax(concrete: Any, *, variables: str, list_room: int | None) -> Callable[..., Any]:
    """`ConcreteFunction.to_jax`."""
    check_variables(variables)
    is_count = isinstance(list_room, int) and not isinstance(list_room, bool) and list_room > 0
    if list_room is not None and not is_count:
        raise OptionError(
            f"list_room= is a number of rounds, not {list_room!r}",
            why="so many may make a list longer in a loop that nothing else bounds",
            remedy="give a whole number from 1 on, or leave it out",
        )
    check_writes(concrete, variables)
    imported("jax", "to_jax()")
    module = importlib.import_module("autograph_rs.runtime.exports.jax")
    run = module.traceable(concrete.graph, list_room=list_room)
    trace, signature = concrete.concrete, concrete.signature
    first = len(trace.graph.results) - len(trace.writes)

    def called(args: Any, kwargs: Any, state: Sequence[Any] | None) -> tuple[Any, tuple[Any, ...]]:
        module.check_arguments(trace.graph)
        leaves, _ = signatures.bound_leaves(trace.inputs, signature, args, kwargs)
        arrays = [leaves[i] for i in trace.inputs.staged]
        if state is None:
            state = [v.value for v in trace.inputs.variables(leaves)]
        _check_state(concrete, trace.graph.arguments[len(arrays) :], state)
        results = run(*arrays, *state)
        left = dict(enumerate([*arrays, *state]))
        left.update(zip(trace.writes, results[first:], strict=True))
        given = len(arrays)
        kept = [left[i] for i in range(given, len(left))] + [left[i] for i in trace.writes if i < given]
        return trace.outputs.build(results[:first]), tuple(kept)

    if variables == "explicit":

        def explicit(values: Sequence[Any], /, *args: Any, **kwargs: Any) -> Any:
            return called(args, kwargs, values)

        return _named(explicit, concrete)

    def function(*args: Any, **kwargs: Any) -> Any:
        return called(args, kwargs, None)[0]

    return _named(function, concrete)


def _check_state(concrete: Any, nodes: Sequence[Any], state: Any) -> None:
    """Raise where the values given for the Variables are not those of all, in their order."""
    if not isinstance(state, (list, tuple)) or len(state) != len(nodes):
        found = f"{len(state)} values are" if isinstance(state, (list, tuple)) else f"{told(state)} is"
        raise OptionError(
            f"{concrete.name} has {len(nodes)} Variables, and {found} given",
            why="with variables='explicit' the first argument is a tuple with the value of each",
            remedy="give the values in the order of concrete.variables",
        )
    for node, value in zip(nodes, state, strict=True):
        _check_value(node, np.asarray(value) if type(value) in (bool, int, float, complex) else value)


def _check_value(node: Any, value: Any) -> None:
    """Raise where the value that is given for a Variable has another dtype or shape."""
    shape, dtype = getattr(value, "shape", None), getattr(value, "dtype", None)
    if shape != node.type.shape or dtype != node.type.dtype:
        raise OptionError(
            f"the value given for the Variable {node.attrs['name']!r} is {told(value)}, not {node.type}",
            why="a Variable keeps its dtype and shape",
            remedy="give an array of that dtype and shape",
        )


def _named(function: Callable[..., Any], concrete: Any) -> Callable[..., Any]:
    """A function with the name of the traced one, which JAX shows in its programs."""
    function.__name__ = function.__qualname__ = concrete.name
    return function
