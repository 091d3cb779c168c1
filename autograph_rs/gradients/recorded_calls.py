"""Calls in the block of a `GradientTape` outside of any trace: which of them write, and which are refused.

What is recorded must hold all that a value comes to be. So whatever would take a part of it elsewhere, into
plain arrays, containers or bytes, is an error.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from autograph_rs.runtime.errors import GradientError
from autograph_rs.runtime.graph import record
from autograph_rs.runtime.graph.concrete import ConcreteGraph
from autograph_rs.runtime.graph.inline import inline
from autograph_rs.runtime.graph.specs import TensorSpec
from autograph_rs.runtime.graph.trace import is_tracing
from autograph_rs.runtime.graph.types import ScalarType
from autograph_rs.runtime.graph.variables import Variable
from autograph_rs.runtime.structures import flatten

from .taped import ARITHMETIC, Taped, apply_method, apply_ufunc

_WRITING_METHODS = frozenset(("fill", "sort", "at"))
_WRITING_FUNCTIONS = frozenset((np.copyto, np.put, np.place, np.putmask, np.fill_diagonal, np.put_along_axis))
_IN_PLACE = frozenset(getattr(operator, f"__i{name}__") for name in ARITHMETIC)
_OPERATORS = frozenset(
    (divmod, *(f for n, f in vars(operator).items() if n.startswith("__") and callable(f)))
)
_GIVING_BACK = frozenset((np.atleast_1d, np.atleast_2d, np.atleast_3d))


@dataclass(frozen=True)
class Run:
    """The call of a function by its graph, which stays what it was when the call was made."""

    graph: ConcreteGraph

    @property
    def __name__(self) -> str:
        return self.graph.graph.name

    def __call__(self, *leaves: Any) -> Any:
        if not is_tracing():
            return self.graph.run(leaves)
        given = list(leaves)
        for place in self.graph.inputs.staged:
            spec: TensorSpec = self.graph.inputs.leaves[place]
            if record.is_staged(given[place]) and isinstance(given[place].type, ScalarType):
                given[place] = record.converted(given[place], spec.type)
        return inline(self.graph, given, None)


def writes(function: Callable[..., Any], args: Sequence[Any]) -> bool:
    """Whether a call may write to one of its arguments."""
    if isinstance(function, Run):
        return bool(function.graph.writes)
    if function is operator.setitem or function in _WRITING_FUNCTIONS:
        return True
    if function is apply_method or function is apply_ufunc:
        return args[1] in _WRITING_METHODS
    return bool(args) and isinstance(args[0], Variable)


def takes_any_number(function: Callable[..., Any]) -> bool:
    """Whether a call goes the same way for all floats that it may be given."""
    return function is apply_ufunc or function in _OPERATORS


def refuse_escapes(
    session: Any, function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> None:
    """Refuse to write to what is no value of the session, of which nothing is recorded."""
    outs = kwargs.get("out", ())
    targets = list(outs) if isinstance(outs, tuple) else [outs]
    if function in _IN_PLACE or writes(function, args):
        targets.append(args[2] if function is apply_ufunc else args[0])
    for target in targets:
        _refuse_target(session, target, _named(function, args))


def refuse_changes(session: Any, graph: ConcreteGraph, name: str, leaves: Sequence[Any]) -> None:
    """Refuse a function that leaves values where they are not recorded."""
    if graph.changes:
        raise GradientError(
            f"in the block of a GradientTape {name} changes a list, dict or object among its arguments",
            why="what is put there is not recorded, and would count as a constant",
            remedy="return what is new, or put the block under @ag.function",
        )
    given = [*(leaves[i] for i in graph.inputs.staged), *graph.inputs.variables(leaves)]
    for place in graph.writes:
        _refuse_target(session, given[place], name)


def refuse_result(function: Callable[..., Any], leaves: Sequence[Any], made: Any) -> None:
    """Refuse a call that gave a plain argument back, having written to it, or values as no numbers."""
    if function in _GIVING_BACK:
        return
    plain = {id(leaf) for leaf in leaves if isinstance(leaf, np.ndarray)}
    for result in flatten(made)[0]:
        if id(result) in plain:
            raise _written(_named(function, leaves))
        if isinstance(result, (np.ndarray, np.generic)) and result.dtype.kind in "OSUV":
            raise GradientError(
                f"in the block of a GradientTape a value becomes items of the dtype {result.dtype}",
                why="what is computed of that is not recorded, and would count as a constant",
                remedy="stay with floats; for the value alone, x.numpy()",
            )


def _refuse_target(session: Any, target: Any, name: str) -> None:
    is_foreign = type(target) is Taped and target.owner is not session
    if is_foreign or isinstance(target, np.ndarray):
        raise _written(name, "a value of another tape" if is_foreign else "a plain array")


def _written(name: str, what: str = "a plain array") -> GradientError:
    return GradientError(
        f"in the block of a GradientTape {name} writes to {what}",
        why="what is written to that is not recorded, and would count as a constant",
        remedy="make a new value (total = total + x), or write to a value of the tape (tape.watch)",
    )


def _named(function: Callable[..., Any], args: Sequence[Any]) -> str:
    if function is apply_method:
        return str(args[1])
    named: Any = args[0] if function is apply_ufunc else function
    return str(named.__name__)
