"""`grad` and `value_and_grad`: functions of gradients, as graphs."""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from autograph_rs.api import DEFAULT
from autograph_rs.bound import BoundFunction
from autograph_rs.functions import Function
from autograph_rs.runtime.boundary import public
from autograph_rs.runtime.errors import ArgumentError, GradientError, checked_truth, told
from autograph_rs.runtime.graph import record
from autograph_rs.runtime.graph.gradient import (
    Recording,
    apart,
    is_differentiable,
    own_arrays,
    type_of,
    zeros_like,
)
from autograph_rs.runtime.graph.trace import is_tracing
from autograph_rs.runtime.graph.variables import Variable
from autograph_rs.runtime.structures import flatten, unflatten

from .values import convertible, staged_number

Argnums = int | Sequence[int]


class Gradient(Function):
    """The gradient of a function, traced into a graph for each signature, as a `Function` is."""

    runs_eagerly = False  # a gradient is a graph always

    def __init__(
        self, f: Callable[..., Any], argnums: Argnums | None, wrt: Any, *, has_aux: bool, with_value: bool
    ):
        if wrt is not None and argnums is not None:
            raise ArgumentError(
                "both argnums= and wrt= are given",
                why="a gradient is with respect to arguments, or to Variables",
                remedy="give one of them, or use a GradientTape that watches the arguments",
            )
        self._argnums, self._wrt = _checked_argnums(0 if argnums is None else argnums), wrt
        self._has_aux, self._with_value = checked_truth("has_aux", has_aux), with_value
        super().__init__(convertible(f), engine=_engine_of(f))

    def __reduce__(self) -> Any:
        by_name = super().__reduce__()
        if isinstance(by_name, str):
            return by_name
        kind: Callable[..., Any] = type(self)
        named = {"has_aux": self._has_aux, "with_value": self._with_value}
        argnums = self._argnums if self._wrt is None else None
        return functools.partial(kind, **named), (self.python_function, argnums, self._wrt)

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


def _engine_of(f: Any) -> str:
    f = f.__func__ if isinstance(f, BoundFunction) else f
    return f.engine if isinstance(f, Function) else "numpy"


def _changed(
    args: tuple[Any, ...], argnums: Argnums, change: Callable[[Any, str], Any], first: int = 0
) -> tuple[Any, ...]:
    """The arguments, with the leaves changed of those that count; `first` of them are not there."""
    made, seen = list(args), set()
    for place in _places(argnums):
        if not -len(args) <= (place - first if place >= 0 else place) < len(args):
            raise ArgumentError(
                f"argnums names argument {place}, and {len(args) + first} are given",
                why="a gradient is with respect to arguments that are given by position",
                remedy="give them by position, or choose others by argnums",
            )
        place = place - first if place >= 0 else place + len(args)
        if place in seen:
            raise _no_argnums(argnums)
        seen.add(place)
        leaves, spec = flatten(args[place], changeable=True)
        made[place] = unflatten(spec, [change(leaf, f"argument {place}") for leaf in leaves])
    return tuple(made)


def _checked_argnums(argnums: Any) -> Argnums:
    """One place or several, as plain ints."""
    try:
        if isinstance(argnums, Sequence) and not isinstance(argnums, str):
            made: Argnums = tuple(map(operator.index, argnums))
        else:
            made = operator.index(argnums)
    except TypeError:
        made = ()
    if made == () or isinstance(argnums, bool) or (isinstance(made, tuple) and len({*made}) < len(made)):
        raise _no_argnums(argnums)
    return made


def _no_argnums(argnums: Any) -> ArgumentError:
    return ArgumentError(
        f"argnums is {told(argnums)}",
        why="it names the arguments with respect to which the gradient is by their places, each once",
        remedy="give a place, as argnums=1, or several, as argnums=(0, 2)",
    )


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


def _watched(leaf: Any) -> Any:
    if isinstance(leaf, Variable) or record.is_staged(leaf):
        return leaf
    raise GradientError(
        f"wrt names {told(leaf)}",
        why="what the function reads of it is part of the graph as a constant",
        remedy="make it an argument of the function, or a Variable",
    )


def _differentiable(leaf: Any, path: str) -> Any:
    kind = type_of(leaf)
    if not is_differentiable(kind):
        what = told(leaf) if kind is None else f"of type {kind}"
        raise GradientError(
            f"the gradient is asked with respect to {path}, {what}",
            why="a derivative is a limit of small changes, which only floats and complex numbers can have",
            remedy="give floats, as in x.astype(float), or choose other arguments by argnums",
        )
    return leaf


def _real_number(value: Any) -> Any:
    kind = type_of(value)
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
def grad(
    f: Callable[..., Any], argnums: Argnums | None = None, *, wrt: Any = None, has_aux: bool = False
) -> Any:
    """A function that computes the gradient of a function, as a graph.

    Args:
        f: a function that returns one real number: a Python float or an array of shape `()`. The engine of a
            `function` runs its gradient too.
        argnums: the place of the argument with respect to which the gradient is, or several places; without
            it and `wrt` the first. An argument may be a nested structure of floats and arrays.
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
    f: Callable[..., Any], argnums: Argnums | None = None, *, wrt: Any = None, has_aux: bool = False
) -> Any:
    """A function that computes the value of a function and its gradient, as one graph.

    It takes what `grad` takes, and returns a pair of the value and the gradient; the value is what `f`
    returns, with `has_aux` a pair itself.

    Raises:
        GradientError, ArgumentError: as of `grad`.

    >>> import autograph_rs as ag
    >>> value, slope = ag.value_and_grad(lambda x: x**3)(2.0)
    >>> float(value), float(slope)
    (8.0, 12.0)
    """
    return Gradient(f, argnums, wrt, has_aux=has_aux, with_value=True)
