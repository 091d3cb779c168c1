"""`vjp`: vector-Jacobian products."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, TypeVar, TypeVarTuple

import numpy as np

from autograph_rs.functions.function import Function
from autograph_rs.runtime.debugging.tracebacks import api_boundary
from autograph_rs.runtime.errors import GradientError, describe
from autograph_rs.runtime.graph.gradient import (
    Recording,
    check_cotangent,
    is_differentiable,
    type_of,
    unaliased_arrays,
    with_own_node,
    zeros_like,
)
from autograph_rs.runtime.graph.state.variables import Variable
from autograph_rs.runtime.graph.tracing.trace import is_tracing
from autograph_rs.runtime.values.structures import flatten, unflatten
from autograph_rs.transpiler.default import DEFAULT

from .arguments import (
    as_numpy_scalar,
    as_python_function,
    check_no_effects,
    recomputation_error,
    variables_set_to,
)

R = TypeVar("R")
Primals = TypeVarTuple("Primals")


class Pullback(Function[..., Any]):
    """The traced function that maps cotangents of results to cotangents of arguments."""

    can_run_eagerly = False

    def _convert(self, source: str | None) -> Callable[..., Any]:
        return functools.partial(self._pull_back, super()._convert(source))

    def _pull_back(
        self,
        f: Callable[..., Any],
        primals: tuple[Any, ...],
        cotangents: Any,
        variables: list[Variable],
        values: list[Any],
    ) -> Any:
        with variables_set_to(variables, values):
            _, pull = _traced_vjp(f, primals)
            return pull(cotangents)


def _traced_vjp(
    f: Callable[..., Any], primals: tuple[Any, ...]
) -> tuple[Any, Callable[[Any], tuple[Any, ...]]]:
    """Return the value of a converted function in a trace, and its pullback."""
    recording = Recording()
    leaves, spec = flatten(primals)
    has_cotangent = [is_differentiable(type_of(leaf)) for leaf in leaves]
    sources = [with_own_node(leaf) if has else leaf for leaf, has in zip(leaves, has_cotangent, strict=True)]
    nodes = [recording.source(source) for source, has in zip(sources, has_cotangent, strict=True) if has]
    value = f(*unflatten(spec, sources))

    def pull(cotangents: Any) -> tuple[Any, ...]:
        results, result_spec = flatten(value)
        result_cotangents, cotangent_spec = flatten(cotangents)
        if result_spec != cotangent_spec or len(results) != len(result_cotangents):
            raise GradientError(
                f"expected cotangents with the structure of {describe(value)}, got {describe(cotangents)}",
                why="each result needs one cotangent",
                remedy="pass cotangents with the structure of the results, each with the shape of its result",
            )
        pairs = [
            (result, check_cotangent(cotangent, result))
            for result, cotangent in zip(results, result_cotangents, strict=True)
            if is_differentiable(type_of(result))
        ]
        gradients = iter(recording.gradients(pairs, nodes))
        pulled: list[Any] = []
        for source, has in zip(sources, has_cotangent, strict=True):
            gradient = next(gradients) if has else None
            pulled.append(zeros_like(source) if has and gradient is None else gradient)
        return unflatten(spec, unaliased_arrays(pulled))  # type: ignore[no-any-return]

    return value, pull


@api_boundary
def vjp(f: Callable[[*Primals], R], *primals: *Primals) -> tuple[R, Callable[[R], tuple[Any, ...]]]:
    """Call a function, and return its value and its pullback.

    Args:
        f: a function with any kind of result.
        *primals: its arguments, nested structures of floats and arrays.

    Returns:
        The result of `f`, and a function that takes cotangents in the structure and shapes of that result.
        It returns a tuple with the cotangent of each argument: the vector-Jacobian product. An argument leaf
        that is not a float or complex number has the cotangent None.

    Raises:
        GradientError: the cotangents do not have the structure of the results, or `f` calls a function
            without a gradient.

    The pullback recomputes the part of `f` that it needs, with the values that arguments and Variables had
    when `vjp` was called. `vjp` traces in every call; inside an `ag.function` it traces only once.

    >>> import autograph_rs as ag, numpy as np
    >>> value, pull = ag.vjp(lambda x, y: (x * y, x + y), np.array([1.0, 2.0]), 3.0)
    >>> value
    (array([3., 6.]), array([4., 5.]))
    >>> pull((np.array([1.0, 0.0]), np.array([0.0, 1.0])))
    (array([3., 1.]), np.float64(2.0))
    """
    python_function = as_python_function(f)
    if is_tracing():
        return _traced_vjp(DEFAULT.to_graph(python_function), primals)
    leaves, spec = flatten(primals)
    leaves = list(map(as_numpy_scalar, leaves))
    primals = unflatten(spec, leaves)
    forward, pullback = Function(python_function), Pullback(python_function)
    concrete = forward.get_concrete_function(*primals).concrete
    check_no_effects(concrete, forward.__name__, "ag.vjp")
    if concrete.writes or concrete.changes:
        raise recomputation_error(forward.__name__, "ag.vjp", "it writes to its arguments or to a Variable")
    variables = concrete.inputs.variables(flatten((primals, {}), mutable_dataclasses=True)[0])
    values = [variable.read_value() for variable in variables]
    primals = unflatten(spec, [leaf.copy() if isinstance(leaf, np.ndarray) else leaf for leaf in leaves])

    def pull(cotangents: Any) -> tuple[Any, ...]:
        leaves, spec = flatten(cotangents)
        cotangents = unflatten(spec, list(map(as_numpy_scalar, leaves)))
        return pullback(primals, cotangents, variables, values)  # type: ignore[no-any-return]

    return forward(*primals), pull
