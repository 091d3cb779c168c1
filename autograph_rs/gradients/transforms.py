"""`grad`, `value_and_grad` and `vjp`: functions of gradients, as graphs."""

from __future__ import annotations

import functools
import types
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from autograph_rs.api import DEFAULT
from autograph_rs.functions import Function
from autograph_rs.runtime.boundary import public
from autograph_rs.runtime.builtins import is_of_numpy
from autograph_rs.runtime.errors import ArgumentError, GradientError, told
from autograph_rs.runtime.graph import record
from autograph_rs.runtime.graph.gradient import (
    Recording,
    apart,
    is_differentiable,
    of_shape,
    own_arrays,
    zeros_like,
)
from autograph_rs.runtime.graph.trace import is_tracing, scalar_type
from autograph_rs.runtime.graph.variables import Variable
from autograph_rs.runtime.structures import flatten, unflatten
from autograph_rs.runtime.tracebacks import strip

from .effects import computed_again, refuse_effects

Argnums = int | Sequence[int]


def _own(f: Callable[..., Any]) -> Callable[..., Any]:
    """A Python function for one that is written in C, which needs no conversion."""
    if not (is_of_numpy(f) or isinstance(f, types.BuiltinFunctionType)):
        return f

    def called(*args: Any, **kwargs: Any) -> Any:
        return f(*args, **kwargs)

    called.__name__ = called.__qualname__ = f.__name__
    return called


class Gradient(Function):
    """The gradient of a function, traced into a graph for each signature, as a `Function` is."""

    runs_eagerly = False  # a gradient is a graph always

    def __init__(self, f: Callable[..., Any], argnums: Argnums, wrt: Any, *, has_aux: bool, with_value: bool):
        self._argnums, self._wrt = argnums, wrt
        self._has_aux, self._with_value = has_aux, with_value
        super().__init__(_own(f))

    def _to_graph(self, source: str | None) -> Callable[..., Any]:
        return functools.partial(self._computed, DEFAULT.to_graph(self.python_function, source=source))

    def call_bound(
        self, bound: tuple[Any, ...], args: tuple[Any, ...], kwargs: dict[str, Any], quick: Any
    ) -> Any:
        if self._wrt is None and not is_tracing():
            args = _changed(args, self._argnums, lambda leaf, _: staged_number(leaf), len(bound))
        return super().call_bound(bound, args, kwargs, quick)

    def _computed(self, f: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        recording = Recording()
        sources: list[Any] = []
        given, leaves = args, []
        if self._wrt is None:

            def own(leaf: Any, path: str) -> Any:
                if leaf is not None:
                    leaf = apart(_differentiable(leaf, path))
                    sources.append(leaf)
                leaves.append(leaf)
                return leaf

            given = _changed(args, self._argnums, own)
        else:
            leaves, spec = flatten(self._wrt)
            sources = [_differentiable(_watched(leaf), "wrt") for leaf in leaves]
        nodes = [recording.source(source) for source in sources]
        made = f(*given, **kwargs)
        value, aux = _pair(made) if self._has_aux else (made, None)
        found = recording.gradients([(_real_number(value), 1.0)], nodes)
        whole = iter(
            own_arrays([zeros_like(s) if g is None else g for g, s in zip(found, sources, strict=True)])
        )
        if self._wrt is None:
            _give_back(args, given, leaves, self._argnums)
            result = _structured(args, self._argnums, whole)
        else:
            result = unflatten(spec, list(whole))
        value = (value, aux) if self._has_aux else value
        if self._with_value:
            return value, result
        return (result, aux) if self._has_aux else result


def _changed(
    args: tuple[Any, ...], argnums: Argnums, change: Callable[[Any, str], Any], first: int = 0
) -> tuple[Any, ...]:
    """The arguments, with the leaves changed of those that count; `first` of them are not there."""
    made = list(args)
    for place in _places(argnums):
        if not -len(args) <= place - first < len(args):
            raise ArgumentError(
                f"argnums names argument {place}, and {len(args) + first} are given",
                why="a gradient is with respect to arguments that are given by position",
                remedy="give them by position, or choose others by argnums",
            )
        leaves, spec = flatten(args[place - first], changeable=True)
        made[place - first] = unflatten(spec, [change(leaf, f"argument {place}") for leaf in leaves])
    return tuple(made)


def _places(argnums: Argnums) -> tuple[int, ...]:
    return (argnums,) if isinstance(argnums, int) else tuple(argnums)


def _structured(args: tuple[Any, ...], argnums: Argnums, found: Iterator[Any]) -> Any:
    made = []
    for place in _places(argnums):
        leaves, spec = flatten(args[place], changeable=True)
        made.append(unflatten(spec, [None if leaf is None else next(found) for leaf in leaves]))
    return made[0] if isinstance(argnums, int) else tuple(made)


def _give_back(args: tuple[Any, ...], given: tuple[Any, ...], own: Sequence[Any], argnums: Argnums) -> None:
    """Let the caller's arrays have what the function wrote to its arguments."""
    places = _places(argnums)
    after, shape = flatten([given[place] for place in places], changeable=True)
    before, old_shape = flatten([args[place] for place in places], changeable=True)
    if shape != old_shape or any(a is not b for a, b in zip(after, own, strict=True)):
        raise GradientError(
            "a function changes a list, dict or object among the arguments of its gradient",
            why="the gradient has the structure of the argument, and what is in that now is another value",
            remedy="make a new one in the function, and return it with has_aux=True",
        )
    for old, new in zip(before, own, strict=True):
        if record.is_staged(old) and getattr(new, "version", False):
            old.write_through(new.read())


def staged_number(leaf: Any) -> Any:
    """Python's floats as NumPy's, which are staged."""
    return np.dtype(type(leaf)).type(leaf) if type(leaf) in (float, complex) else leaf


def _watched(leaf: Any) -> Any:
    if isinstance(leaf, Variable) or record.is_staged(leaf):
        return leaf
    raise GradientError(
        f"wrt names {told(leaf)}",
        why="what the function reads of it is part of the graph as a constant",
        remedy="make it an argument of the function, or a Variable",
    )


def _differentiable(leaf: Any, path: str) -> Any:
    kind = getattr(leaf, "type", None) or scalar_type(leaf)
    if kind is None or not is_differentiable(kind):
        what = told(leaf) if kind is None else f"of type {kind}"
        raise GradientError(
            f"the gradient is asked with respect to {path}, {what}",
            why="a derivative is a limit of small changes, which only floats and complex numbers can have",
            remedy="give floats, as in x.astype(float), or choose other arguments by argnums",
        )
    return leaf


def _real_number(value: Any) -> Any:
    kind = getattr(value, "type", None) or scalar_type(value)
    kind = getattr(kind, "held", kind)
    shape = getattr(kind, "shape", ())
    dtype = np.dtype(getattr(kind, "dtype", getattr(kind, "python", None) or object))
    if shape != () or dtype.kind != "f":
        raise GradientError(
            f"the gradient is asked of a function that returns {told(value) if kind is None else kind}",
            why="a gradient is that of one real number",
            remedy="return one float, such as the sum of an array; ag.vjp is for other results",
        )
    return value


def _pair(made: Any) -> tuple[Any, Any]:
    if not isinstance(made, tuple) or len(made) != 2:
        raise GradientError(
            f"a function under has_aux=True returns {told(made)}",
            why="it has to return the number whose gradient is asked, and something else",
            remedy="return a pair, or leave has_aux out",
        )
    return made[0], made[1]


@public
def grad(f: Callable[..., Any], argnums: Argnums = 0, *, wrt: Any = None, has_aux: bool = False) -> Any:
    """A function that computes the gradient of a function, as a graph.

    Args:
        f: a function that returns one real number: a Python float or an array of shape `()`.
        argnums: the place of the argument with respect to which the gradient is, or several places. An
            argument may be a nested structure of floats and arrays.
        wrt: in the place of that a `Variable` that `f` reads, or a nested structure of them.
        has_aux: whether `f` returns a pair, of which the second part is given back as it is.

    Returns:
        A function of the arguments of `f`. It returns the gradient in the structure of the argument, for
        several a tuple of them; each array has the shape and dtype of its argument. With `has_aux` it
        returns a pair of that and the second part.

    Raises:
        GradientError: `f` returns something else, an argument holds what is neither a float nor a complex
            number, or `f` calls a function that has no gradient.
        ArgumentError: there is no argument at a place.

    Conditions and loops are differentiated as they ran. Like a `function` it is traced once for each
    signature, so make it once, not in a loop.

    >>> import autograph_rs as ag, numpy as np
    >>> def power(x, n):
    ...     y = 1.0
    ...     while n > 0:
    ...         y, n = y * x, n - 1
    ...     return y
    >>> slope = ag.grad(power)
    >>> float(slope(2.0, np.int64(3)))
    12.0
    >>> float(ag.grad(slope)(2.0, np.int64(3)))
    12.0
    >>> w = ag.Variable([1.0, 2.0])
    >>> ag.grad(lambda x: np.sum(w * w * x), wrt=w)(np.array([3.0, 4.0]))
    array([ 6., 16.])
    """
    return Gradient(f, argnums, wrt, has_aux=has_aux, with_value=False)


@public
def value_and_grad(
    f: Callable[..., Any], argnums: Argnums = 0, *, wrt: Any = None, has_aux: bool = False
) -> Any:
    """A function that computes the value of a function and its gradient, as one graph.

    It takes what `grad` takes, and returns a pair of the value and the gradient; the value is what `f`
    returns, with `has_aux` a pair itself.

    >>> import autograph_rs as ag
    >>> value, slope = ag.value_and_grad(lambda x: x**3)(2.0)
    >>> float(value), float(slope)
    (8.0, 12.0)
    """
    return Gradient(f, argnums, wrt, has_aux=has_aux, with_value=True)


class Pullback(Function):
    """Cotangents of a function's results to cotangents of its arguments."""

    runs_eagerly = False

    def _to_graph(self, source: str | None) -> Callable[..., Any]:
        return functools.partial(self._computed, DEFAULT.to_graph(self.python_function, source=source))

    def _computed(self, f: Callable[..., Any], primals: tuple[Any, ...], cotangents: Any) -> Any:
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
    kind = getattr(leaf, "type", None) or scalar_type(leaf)
    return kind is not None and is_differentiable(kind)


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

    The function that is returned computes `f` again, but for what it does not need.

    >>> import autograph_rs as ag, numpy as np
    >>> value, pull = ag.vjp(lambda x, y: (x * y, x + y), np.array([1.0, 2.0]), 3.0)
    >>> value
    (array([3., 6.]), array([4., 5.]))
    >>> pull((np.array([1.0, 0.0]), np.array([0.0, 1.0])))
    (array([3., 1.]), np.float64(2.0))
    """
    try:
        if is_tracing():
            return _pulled(DEFAULT.to_graph(_own(f)), primals)
        f = _own(f)
        leaves, spec = flatten(primals)
        leaves = list(map(staged_number, leaves))
        primals = unflatten(spec, leaves)
        forward, pullback = Function(f), Pullback(f)
        concrete = forward.get_concrete_function(*primals)
        refuse_effects(concrete.concrete, forward.__name__, "ag.vjp")
        if concrete.concrete.writes or concrete.concrete.changes:
            raise computed_again(forward.__name__, "ag.vjp", "it writes to its arguments or to a Variable")
        primals = unflatten(spec, [leaf.copy() if isinstance(leaf, np.ndarray) else leaf for leaf in leaves])

        def pull(cotangents: Any) -> tuple[Any, ...]:
            leaves, spec = flatten(cotangents)
            made: tuple[Any, ...] = pullback(primals, unflatten(spec, list(map(staged_number, leaves))))
            return made

        return forward(*primals), pull
    except BaseException as error:
        strip(error)
        raise
