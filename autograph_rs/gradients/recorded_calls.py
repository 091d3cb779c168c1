"""Classify calls in the block of an eager `GradientTape`: which ones write, and which can be recorded.

A tape does not record the contents of plain arrays, containers or bytes. A call that would store a recorded
value in one of these raises `GradientError`.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from autograph_rs.runtime.errors import GradientError
from autograph_rs.runtime.graph.concrete.concrete_graph import ConcreteGraph
from autograph_rs.runtime.graph.concrete.inlining import inline
from autograph_rs.runtime.graph.ir.types import ScalarType
from autograph_rs.runtime.graph.state.taped_values import TapedValue, apply_method, apply_ufunc
from autograph_rs.runtime.graph.state.variables import Variable
from autograph_rs.runtime.graph.tracing import recording
from autograph_rs.runtime.graph.tracing.specs import TensorSpec
from autograph_rs.runtime.graph.tracing.tensor import ARITHMETIC
from autograph_rs.runtime.graph.tracing.trace import is_tracing
from autograph_rs.runtime.values.structures import flatten

_WRITING_METHODS = frozenset(("fill", "sort", "at"))
_WRITING_FUNCTIONS = frozenset((np.copyto, np.put, np.place, np.putmask, np.fill_diagonal, np.put_along_axis))
_IN_PLACE = frozenset(getattr(operator, f"__i{name}__") for name in ARITHMETIC)
_OPERATORS = frozenset(
    (divmod, *(f for n, f in vars(operator).items() if n.startswith("__") and callable(f)))
)
_RETURNING_ARGUMENTS = frozenset((np.atleast_1d, np.atleast_2d, np.atleast_3d))


@dataclass(frozen=True)
class GraphCall:
    """A callable that runs the graph of one recorded call."""

    graph: ConcreteGraph

    @property
    def __name__(self) -> str:
        return self.graph.graph.name

    def __call__(self, *leaves: Any) -> Any:
        if not is_tracing():
            return self.graph.run(leaves)
        arguments = list(leaves)
        for i in self.graph.inputs.staged:
            spec: TensorSpec = self.graph.inputs.leaves[i]
            if recording.is_staged(arguments[i]) and isinstance(arguments[i].type, ScalarType):
                arguments[i] = recording.cast(arguments[i], spec.type)
        return inline(self.graph, arguments, None)


def is_write(function: Callable[..., Any], args: Sequence[Any]) -> bool:
    """Return whether a call may write to one of its arguments."""
    if isinstance(function, GraphCall):
        return bool(function.graph.writes)
    if function is operator.setitem or function in _WRITING_FUNCTIONS:
        return True
    if function is apply_method or function is apply_ufunc:
        return args[1] in _WRITING_METHODS
    return bool(args) and isinstance(args[0], Variable)


def is_generic_in_numbers(function: Callable[..., Any]) -> bool:
    """Return whether one trace of a call is valid for all values of its Python float arguments."""
    return function is apply_ufunc or function in _OPERATORS


def check_call(
    session: Any, function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> None:
    """Raise `GradientError` if a call writes to a plain array or to a value of another session."""
    outs = kwargs.get("out", ())
    targets = list(outs) if isinstance(outs, tuple) else [outs]
    if function in _IN_PLACE or is_write(function, args):
        targets.append(args[2] if function is apply_ufunc else args[0])
    for target in targets:
        _check_target(session, target, _name_of(function, args))


def check_graph(session: Any, graph: ConcreteGraph, name: str, leaves: Sequence[Any]) -> None:
    """Raise `GradientError` if a graph changes objects among its arguments, or writes to plain arrays."""
    if graph.changes:
        raise GradientError(
            f"{name} changes a list, dict or object among its arguments inside the block of a GradientTape",
            why="the tape does not record the new contents, so they would act as constants",
            remedy="return the new values, or put the block into an @ag.function",
        )
    arguments = [*(leaves[i] for i in graph.inputs.staged), *graph.inputs.variables(leaves)]
    for i in graph.writes:
        _check_target(session, arguments[i], name)


def check_result(function: Callable[..., Any], leaves: Sequence[Any], result: Any) -> None:
    """Raise `GradientError` if a call returns a plain array argument, or values that are not numbers."""
    if function in _RETURNING_ARGUMENTS:
        return
    plain = {id(leaf) for leaf in leaves if isinstance(leaf, np.ndarray)}
    for value in flatten(result)[0]:
        if id(value) in plain:
            raise _write_error(_name_of(function, leaves))
        if isinstance(value, (np.ndarray, np.generic)) and value.dtype.kind in "OSUV":
            raise GradientError(
                f"the block of a GradientTape converts a recorded value to the dtype {value.dtype}",
                why="the tape does not record computations on the result, so it would act as a constant",
                remedy="use floats only; use x.numpy() if you want a constant",
            )


def _check_target(session: Any, target: Any, name: str) -> None:
    is_foreign = type(target) is TapedValue and target.session is not session
    if is_foreign or isinstance(target, np.ndarray):
        raise _write_error(name, "a value of another tape" if is_foreign else "a plain array")


def _write_error(name: str, target: str = "a plain array") -> GradientError:
    return GradientError(
        f"{name} writes to {target} inside the block of a GradientTape",
        why="the tape does not record the written items, so they would act as constants",
        remedy="compute a new value, as in total = total + x, or write to a value that tape.watch returned",
    )


def _name_of(function: Callable[..., Any], args: Sequence[Any]) -> str:
    if function is apply_method:
        return str(args[1])
    named: Any = args[0] if function is apply_ufunc else function
    return str(named.__name__)
