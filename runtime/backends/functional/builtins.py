"""Implementations of Python's builtins that several systems share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...errors import UnsupportedFunctionError
from ...values.structures import flatten, unflatten
from .iterables import StagedSequence
from .optional_values import Optional, present

SHALLOW = frozenset((len, bool, enumerate, zip, reversed, list, tuple, isinstance, type, map, filter))
"""Builtins that inspect an argument itself, but not the items of a list."""

SHOWING = frozenset((print, str, repr))
"""Builtins that turn values into text."""

_NO_DEFAULT = object()


UFUNC_METHODS = {
    ("add", "reduce"): "sum",
    ("multiply", "reduce"): "prod",
    ("add", "accumulate"): "cumsum",
    ("multiply", "accumulate"): "cumprod",
    ("logical_and", "reduce"): "all",
    ("logical_or", "reduce"): "any",
    ("maximum", "reduce"): "max",
    ("minimum", "reduce"): "min",
}


def ufunc_method(module: Any, method: Any) -> Callable[..., Any] | None:
    """Return `module`'s counterpart of a ufunc method, by default over the first axis, or None."""
    name = UFUNC_METHODS.get((method.__self__.__name__, method.__name__))
    if name is None:
        return None
    reduction = getattr(module, name)
    return lambda x, axis=0, **rest: reduction(x, axis=axis, **rest)


def replacing(
    function: Callable[..., Any], is_staged: Callable[[Any], bool], replacement: Callable[..., Any]
) -> Callable[..., Any]:
    """Return a function that calls `replacement` if an argument holds a staged value, else `function`."""

    def call(*args: Any, **kwargs: Any) -> Any:
        leaves, spec = flatten([args, kwargs])
        if any(isinstance(leaf, Optional) for leaf in leaves):
            leaves = [present(leaf, function) for leaf in leaves]
            args, kwargs = unflatten(spec, leaves)
        if not any(map(is_staged, leaves)):
            return function(*args, **kwargs)
        if function.__name__ in WRITES or kwargs.get("out") is not None:
            raise UnsupportedFunctionError(
                f"numpy.{function.__name__} writes to a staged array",
                why="the framework has functions that return new arrays, but none that writes to an array",
                remedy="assign to the items, as in x[i] = v, or use the result of a function, as in "
                "y = np.where(x > 0, x, y)",
            )
        return replacement(*args, **kwargs)

    return call


WRITES = frozenset(("put", "put_along_axis", "putmask", "place", "copyto", "fill_diagonal", "at"))
"""NumPy functions, and a method of ufuncs, that write to their first argument."""


def staged_len(value: Any, unsized: str = "unsized object") -> Any:
    if isinstance(value, StagedSequence):
        return value.length
    if not value.ndim:
        raise TypeError(f"len() of {unsized}")
    return value.shape[0]


def extremum(
    array: Any,
    pairwise: Callable[[Any, Any], Any],
    reduce: Callable[[Any], Any],
    ambiguous: Callable[[], Exception],
) -> Callable[..., Any]:
    """Return an implementation of `min` or `max`.

    `pairwise` selects one of two values, and `reduce` reduces a 1-d `array`. Arrays of more dimensions raise
    `ambiguous()`.
    """

    def call(*args: Any, key: Any = None, default: Any = _NO_DEFAULT) -> Any:
        if len(args) == 1:
            [values] = args
            if isinstance(values, array):
                if values.ndim > 1:
                    raise ambiguous()
                return reduce(values)
            args = tuple(values)
        if not args:
            if default is _NO_DEFAULT:
                raise ValueError("min() or max() of an empty sequence")
            return default
        best = args[0]
        for value in args[1:]:
            best = pairwise(best, value)
        return best

    return call


def total(array: Any, reduce: Callable[[Any], Any]) -> Callable[..., Any]:
    """Return an implementation of `sum`, in which `reduce` sums an `array` over its first axis."""

    def call(values: Any, start: Any = 0) -> Any:
        if isinstance(values, array):
            result = reduce(values)
            return result if isinstance(start, int) and start == 0 else result + start
        for value in values:
            start = start + value
        return start

    return call
