"""`grad` and `value_and_grad`: transform a function into one that computes its gradient."""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Literal, TypeVar, overload

import numpy as np

from autograph_rs.functions.bound_function import BoundFunction
from autograph_rs.functions.fast_path import Args, Kwargs, P, R_co
from autograph_rs.functions.function import Function
from autograph_rs.runtime.debugging.tracebacks import api_boundary
from autograph_rs.runtime.errors import ArgumentError, GradientError, check_bool, describe
from autograph_rs.runtime.graph.gradient import (
    Recording,
    is_differentiable,
    type_of,
    unaliased_arrays,
    with_own_node,
    zeros_like,
)
from autograph_rs.runtime.graph.state.variables import Variable
from autograph_rs.runtime.graph.tracing import recording as trace_recording
from autograph_rs.runtime.graph.tracing.tensor import some
from autograph_rs.runtime.graph.tracing.trace import is_tracing
from autograph_rs.runtime.values.structures import flatten, unflatten

from .arguments import as_numpy_scalar, as_python_function

Argnums = int | Sequence[int]
R = TypeVar("R")
Aux = TypeVar("Aux")
Pair = TypeVar("Pair", bound=tuple[Any, Any])


class Gradient(Function[P, R_co]):
    """The gradient of a function, traced into a graph for each signature like a `Function`."""

    can_run_eagerly = False

    def __init__(
        self, f: Callable[..., Any], argnums: Argnums | None, wrt: Any, *, has_aux: bool, with_value: bool
    ):
        if wrt is not None and argnums is not None:
            raise ArgumentError(
                "both argnums= and wrt= were passed",
                why="a gradient is computed with respect to either arguments or Variables",
                remedy="pass one of them, or use a GradientTape that watches the arguments",
            )
        self._argnums, self._wrt = _checked_argnums(0 if argnums is None else argnums), wrt
        self._has_aux, self._with_value = check_bool("has_aux", has_aux), with_value
        function = f.__func__ if isinstance(f, BoundFunction) else f
        options: dict[str, Any] = {}
        if isinstance(function, Function):
            options = {"engine": function.engine, "fast": function.fast, "parallel": function.parallel}
        super().__init__(as_python_function(f), **options)

    def __reduce__(self) -> Any:
        reduced = super().__reduce__()
        if isinstance(reduced, str):  # pickled by name
            return reduced
        flags = {"has_aux": self._has_aux, "with_value": self._with_value}
        argnums = self._argnums if self._wrt is None else None
        kind: Callable[..., Any] = type(self)
        return functools.partial(kind, **flags), (self.python_function, argnums, self._wrt)

    def _convert(self, source: str | None) -> Callable[..., Any]:
        return functools.partial(self._differentiate, super()._convert(source))

    def call_bound(self, bound: Args, args: Args, kwargs: Kwargs, fast_key: Any) -> Any:
        if self._wrt is None and not is_tracing():
            args = _map_arguments(args, self._argnums, lambda leaf, _: as_numpy_scalar(leaf), len(bound))
        return super().call_bound(bound, args, kwargs, fast_key)

    def _differentiate(self, f: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        recording = Recording()
        sources: list[Any] = []
        primals, leaves = args, []
        if self._wrt is None:

            def make_source(leaf: Any, path: str) -> Any:
                if leaf is not None:
                    leaf = with_own_node(_checked_source(leaf, path))
                    sources.append(leaf)
                leaves.append(leaf)
                return leaf

            primals = _map_arguments(args, self._argnums, make_source)
        else:
            leaves, spec = flatten(self._wrt)
            sources = [_checked_source(_checked_variable(leaf), "wrt") for leaf in leaves]
        nodes = [recording.source(source) for source in sources]
        result = f(*primals, **kwargs)
        if self._has_aux and not (isinstance(result, tuple) and len(result) == 2):
            raise GradientError(
                f"a function with has_aux=True must return a pair, not {describe(result)}",
                why="the pair contains the number to differentiate and an auxiliary value",
                remedy="return a pair, or remove has_aux",
            )
        value, aux = result if self._has_aux else (result, None)
        gradients = recording.gradients([(_checked_real_number(value), 1.0)], nodes)
        gradients = unaliased_arrays(
            [zeros_like(s) if g is None else g for g, s in zip(gradients, sources, strict=True)]
        )
        if self._wrt is None:
            _write_back(args, primals, leaves, self._argnums)
            gradient = _structure_like(args, self._argnums, iter(gradients))
        else:
            gradient = unflatten(spec, gradients)
        value = (value, aux) if self._has_aux else value
        if self._with_value:
            return value, gradient
        return (gradient, aux) if self._has_aux else gradient


# Arguments


def _checked_argnums(argnums: Any) -> Argnums:
    """Convert argnums to an int or a tuple of distinct ints."""
    try:
        if isinstance(argnums, Sequence) and not isinstance(argnums, str):
            checked: Argnums = tuple(map(operator.index, argnums))
        else:
            checked = operator.index(argnums)
    except TypeError:
        checked = ()
    is_repeated = isinstance(checked, tuple) and len({*checked}) < len(checked)
    if checked == () or isinstance(argnums, bool) or is_repeated:
        raise _invalid_argnums(argnums)
    return checked


def _invalid_argnums(argnums: Any) -> ArgumentError:
    return ArgumentError(
        f"argnums must be an int or a tuple of distinct ints, not {describe(argnums)}",
        why="it lists the positions of the arguments to differentiate with respect to",
        remedy="pass one position, such as argnums=1, or several, such as argnums=(0, 2)",
    )


def _positions(argnums: Argnums) -> tuple[int, ...]:
    return (argnums,) if isinstance(argnums, int) else tuple(argnums)


def _map_arguments(
    args: Args, argnums: Argnums, function: Callable[[Any, str], Any], bound: int = 0
) -> tuple[Any, ...]:
    """Apply a function to each leaf of the arguments in argnums. `args` omits the first `bound` arguments."""
    mapped, seen = list(args), set()
    for position in _positions(argnums):
        index = position - bound if position >= 0 else position
        if not -len(args) <= index < len(args):
            raise ArgumentError(
                f"argnums names argument {position}, but the call passes {len(args) + bound} by position",
                why="argnums can select only positional arguments",
                remedy="pass the argument by position, or change argnums",
            )
        index += len(args) if position < 0 else 0
        if index in seen:
            raise _invalid_argnums(argnums)
        seen.add(index)
        leaves, spec = flatten(args[index], mutable_dataclasses=True)
        mapped[index] = unflatten(spec, [function(leaf, f"argument {index}") for leaf in leaves])
    return tuple(mapped)


def _structure_like(args: Args, argnums: Argnums, gradients: Iterator[Any]) -> Any:
    """Arrange gradients in the structure of the selected arguments."""
    structured = []
    for position in _positions(argnums):
        leaves, spec = flatten(args[position], mutable_dataclasses=True)
        structured.append(unflatten(spec, [None if leaf is None else next(gradients) for leaf in leaves]))
    return structured[0] if isinstance(argnums, int) else tuple(structured)


def _write_back(args: Args, primals: Args, sources: Sequence[Any], argnums: Argnums) -> None:
    """Copy what `f` wrote to `primals` to the caller's arrays. `sources` are the leaves passed to `f`."""
    positions = _positions(argnums)
    after, spec = flatten([primals[i] for i in positions], mutable_dataclasses=True)
    originals, original_spec = flatten([args[i] for i in positions], mutable_dataclasses=True)
    if spec != original_spec or any(a is not b for a, b in zip(after, sources, strict=True)):
        raise GradientError(
            "a function changes a list, dict or object among the arguments of its gradient",
            why="the gradient must match the structure of the argument, whose contents have changed",
            remedy="build a new object in the function, and return it with has_aux=True",
        )
    for original, source in zip(originals, sources, strict=True):
        if trace_recording.is_staged(original) and getattr(source, "version", False):
            original.write_through(source.read())


# Checks


def _checked_variable(leaf: Any) -> Any:
    if isinstance(leaf, Variable) or trace_recording.is_staged(leaf):
        return leaf
    raise GradientError(
        f"wrt must contain Variables, not {describe(leaf)}",
        why="the graph contains other values as constants, and constants have no gradient",
        remedy="make the value an argument of the function, or a Variable",
    )


def _checked_source(leaf: Any, path: str) -> Any:
    kind = type_of(leaf)
    if not is_differentiable(kind):
        what = describe(leaf) if kind is None else f"of type {kind}"
        raise GradientError(
            f"cannot differentiate with respect to {path}, {what}",
            why="derivatives exist only with respect to floats and complex numbers",
            remedy="pass floats, as in x.astype(float), or select other arguments with argnums",
        )
    return leaf


def _checked_real_number(value: Any) -> Any:
    """Check that a result is a real number. If it may be None, the graph raises a TypeError where it is."""
    value = some(value, "float")
    kind = type_of(value)
    shape = getattr(kind, "shape", ())
    dtype = np.dtype(getattr(kind, "dtype", getattr(kind, "python", None) or object))
    if shape != () or dtype.kind != "f":
        raise GradientError(
            f"cannot differentiate a function that returns {describe(value) if kind is None else kind}",
            why="only a single real number has a gradient",
            remedy="return one float, such as the sum of an array, or use ag.vjp for other results",
        )
    return value


@overload
def grad(
    f: Callable[P, Any], argnums: int | None = None, *, wrt: Any = None, has_aux: Literal[False] = False
) -> Function[P, Any]: ...


@overload
def grad(
    f: Callable[P, Any], argnums: Sequence[int], *, has_aux: Literal[False] = False
) -> Function[P, tuple[Any, ...]]: ...


@overload
def grad(
    f: Callable[P, tuple[Any, Aux]], argnums: int | None = None, *, wrt: Any = None, has_aux: Literal[True]
) -> Function[P, tuple[Any, Aux]]: ...


@overload
def grad(
    f: Callable[P, tuple[Any, Aux]], argnums: Sequence[int], *, has_aux: Literal[True]
) -> Function[P, tuple[tuple[Any, ...], Aux]]: ...


@api_boundary
def grad(
    f: Callable[..., Any], argnums: Argnums | None = None, *, wrt: Any = None, has_aux: bool = False
) -> Any:
    """Return a function that computes the gradient of `f` as a graph.

    Args:
        f: a function that returns one real number: a Python float or an array of shape `()`. If it is a
            `function`, its engine also runs the gradient.
        argnums: the position of the argument to differentiate with respect to, or several positions; the
            first argument by default. An argument may be a nested structure of floats and arrays.
        wrt: instead of argnums, a `Variable` that `f` reads, or a nested structure of Variables.
        has_aux: whether `f` returns a pair, whose second item is an auxiliary value.

    Returns:
        A function of the arguments of `f`. It returns the gradient in the structure of the argument, or a
        tuple of gradients for several positions; each array has the shape and dtype of its argument. With
        `has_aux` it returns a pair of the gradient and the auxiliary value.

    Raises:
        GradientError: `f` does not return a real number, an argument contains something other than floats
            and complex numbers, or `f` calls a function without a gradient.
        ArgumentError: argnums names an argument that was not passed.

    Conditionals and loops are differentiated along the path that ran. Like a `function`, the gradient is
    traced once for each signature, so create it once, outside of loops.

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


@overload
def value_and_grad(
    f: Callable[P, R], argnums: int | None = None, *, wrt: Any = None, has_aux: Literal[False] = False
) -> Function[P, tuple[R, Any]]: ...


@overload
def value_and_grad(
    f: Callable[P, R], argnums: Sequence[int], *, has_aux: Literal[False] = False
) -> Function[P, tuple[R, tuple[Any, ...]]]: ...


@overload
def value_and_grad(
    f: Callable[P, Pair], argnums: int | None = None, *, wrt: Any = None, has_aux: Literal[True]
) -> Function[P, tuple[Pair, Any]]: ...


@overload
def value_and_grad(
    f: Callable[P, Pair], argnums: Sequence[int], *, has_aux: Literal[True]
) -> Function[P, tuple[Pair, tuple[Any, ...]]]: ...


@api_boundary
def value_and_grad(
    f: Callable[..., Any], argnums: Argnums | None = None, *, wrt: Any = None, has_aux: bool = False
) -> Any:
    """Return a function that computes the value and the gradient of `f` as one graph.

    The parameters are those of `grad`. The function returns a pair: the result of `f`, and the gradient. With
    `has_aux`, the result of `f` is itself a pair.

    Raises:
        GradientError, ArgumentError: as for `grad`.

    >>> import autograph_rs as ag
    >>> value, slope = ag.value_and_grad(lambda x: x**3)(2.0)
    >>> float(value), float(slope)
    (8.0, 12.0)
    """
    return Gradient(f, argnums, wrt, has_aux=has_aux, with_value=True)
