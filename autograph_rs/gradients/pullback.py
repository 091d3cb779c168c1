"""`vjp`: what pulls cotangents back through a function."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from autograph_rs.api import DEFAULT
from autograph_rs.functions import Function
from autograph_rs.runtime.boundary import public
from autograph_rs.runtime.errors import GradientError, told
from autograph_rs.runtime.graph.gradient import (
    Recording,
    apart,
    is_differentiable,
    of_shape,
    own_arrays,
    type_of,
    zeros_like,
)
from autograph_rs.runtime.graph.trace import is_tracing
from autograph_rs.runtime.graph.variables import Variable
from autograph_rs.runtime.structures import flatten, unflatten
from autograph_rs.runtime.tracebacks import strip

from .effects import computed_again, refuse_effects
from .values import convertible, holding, staged_number


class Pullback(Function):
    """Cotangents of a function's results to cotangents of its arguments."""

    runs_eagerly = False

    def _to_graph(self, source: str | None) -> Callable[..., Any]:
        return functools.partial(self._computed, DEFAULT.to_graph(self.python_function, source=source))

    def _computed(
        self,
        f: Callable[..., Any],
        primals: tuple[Any, ...],
        cotangents: Any,
        variables: list[Variable],
        values: list[Any],
    ) -> Any:
        with holding(variables, values):
            _, pull = _pulled(f, primals)
            return pull(cotangents)


def _pulled(f: Callable[..., Any], primals: tuple[Any, ...]) -> tuple[Any, Callable[[Any], tuple[Any, ...]]]:
    recording = Recording()
    leaves, spec = flatten(primals)
    sources = [apart(leaf) if _has_cotangent(leaf) else leaf for leaf in leaves]
    wanted = [s for s, leaf in zip(sources, leaves, strict=True) if _has_cotangent(leaf)]
    nodes = [recording.source(s) for s in wanted]
    value = f(*unflatten(spec, sources))

    def pull(cotangents: Any) -> tuple[Any, ...]:
        ends, shape = flatten(value)
        given, other = flatten(cotangents)
        if shape != other or len(ends) != len(given):
            raise GradientError(
                f"the cotangents are {told(cotangents)}",
                why=f"each stands for one of the results, which are {told(value)}",
                remedy="give them in the structure of the result, each of the shape of its result",
            )
        pairs = [(end, of_shape(ct, end)) for end, ct in zip(ends, given, strict=True) if _has_cotangent(end)]
        found = iter(recording.gradients(pairs, nodes))
        made = []
        for source, leaf in zip(sources, leaves, strict=True):
            one = next(found) if _has_cotangent(leaf) else None
            made.append(zeros_like(source) if one is None and _has_cotangent(leaf) else one)
        whole: tuple[Any, ...] = unflatten(spec, own_arrays(made))
        return whole

    return value, pull


def _has_cotangent(leaf: Any) -> bool:
    return is_differentiable(type_of(leaf))


@public
def vjp(f: Callable[..., Any], *primals: Any) -> tuple[Any, Callable[[Any], tuple[Any, ...]]]:
    """The value of a function, and a function that pulls cotangents back through it.

    Args:
        f: a function of any results.
        *primals: its arguments, nested structures of floats and arrays.

    Returns:
        What `f` returns, and a function that takes a cotangent for it, of the same structure and shapes, and
        returns a tuple with the cotangent of each argument: the product of the cotangents and the matrix
        of derivatives. What is neither a float nor a complex number has None.

    Raises:
        GradientError: the cotangents have another structure, or `f` calls what has no gradient.

    The function that is returned computes `f` again, but for what it does not need, with the values that
    arguments and Variables have now. `vjp` traces each time that it is called: under `ag.function` once.

    >>> import autograph_rs as ag, numpy as np
    >>> value, pull = ag.vjp(lambda x, y: (x * y, x + y), np.array([1.0, 2.0]), 3.0)
    >>> value
    (array([3., 6.]), array([4., 5.]))
    >>> pull((np.array([1.0, 0.0]), np.array([0.0, 1.0])))
    (array([3., 1.]), np.float64(2.0))
    """
    try:
        if is_tracing():
            return _pulled(DEFAULT.to_graph(convertible(f)), primals)
        f = convertible(f)
        leaves, spec = flatten(primals)
        leaves = list(map(staged_number, leaves))
        primals = unflatten(spec, leaves)
        forward, pullback = Function(f), Pullback(f)
        concrete = forward.get_concrete_function(*primals)
        refuse_effects(concrete.concrete, forward.__name__, "ag.vjp")
        if concrete.concrete.writes or concrete.concrete.changes:
            raise computed_again(forward.__name__, "ag.vjp", "it writes to its arguments or to a Variable")
        variables = concrete.concrete.inputs.variables(flatten((primals, {}), changeable=True)[0])
        values = [variable.read_value() for variable in variables]
        primals = unflatten(spec, [leaf.copy() if isinstance(leaf, np.ndarray) else leaf for leaf in leaves])

        def pull(cotangents: Any) -> tuple[Any, ...]:
            leaves, spec = flatten(cotangents)
            given = unflatten(spec, list(map(staged_number, leaves)))
            made: tuple[Any, ...] = pullback(primals, given, variables, values)
            return made

        return forward(*primals), pull
    except BaseException as error:
        strip(error)
        raise
