"""NumPy functions that call a function of the user, such as `np.apply_along_axis`.

The user's function is traced. Where NumPy calls it for each row or element, it becomes the body of a loop.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .... import staging
from ....backends.builtins import DISPATCHING
from ....core.active_backends import active_backend
from ....core.closures import nothing, set_nothing
from ....errors import UnsupportedFunctionError
from ...ir.types import ArrayType, ScalarType
from ...rules.methods import TEXT_FUNCTIONS
from ...rules.shapes import dimension_result, normalize_axis, require_plain
from ...tracing import recording
from ...tracing.containers import lists
from ...tracing.containers.iterables import staged_zip
from ...tracing.effects import check_print_options
from ...tracing.specs import ensure_shape


def as_array(value: Any, **options: Any) -> Any:
    return recording.call(np.array, (value,), options)


def apply_along_axis(func1d: Any, axis: Any, arr: Any, *args: Any, **kwargs: Any) -> Any:
    """Call a function for each row along an axis, in nested loops over the other axes."""
    axis, function = normalize_axis(axis, np.ndim(arr)), DISPATCHING.get(id(func1d), func1d)
    rows = np.moveaxis(recording.call(np.asarray, (arr,), {}), axis, -1)
    if 0 in rows.type.shape[:-1]:
        raise ValueError("Cannot apply_along_axis when any iteration dimensions are 0")
    outer = np.ndim(arr) - 1
    if not outer:
        return as_array(function(rows, *args, **kwargs))
    results = for_each(rows, outer, lambda row: as_array(function(row, *args, **kwargs)))
    places = range(axis, axis + np.ndim(results) - outer)
    return np.moveaxis(results, range(outer, np.ndim(results)), places)


def for_each(rows: Any, depth: int, function: Callable[[Any], Any]) -> Any:
    """Call a function for each item of the first `depth` axes, and return the array of its results."""
    results = lists.staged_list([])

    def body(row: Any) -> None:
        results.append(function(row) if depth == 1 else for_each(row, depth - 1, function))

    staging.for_stmt(active_backend(), rows, None, body, tuple, set_nothing, (), {})
    return with_length(recording.call(np.stack, (results,), {}), rows.type.shape[0])


def with_length(array: Any, length: int | None) -> Any:
    """Return an array whose first dimension is known to be `length`."""
    if length is None or None in array.type.shape[1:]:
        return array
    kind = ArrayType(array.dtype, (length, *array.type.shape[1:]))
    return ensure_shape(array, kind, "the results")


def apply_over_axes(func: Any, a: Any, axes: Any) -> Any:
    value, rank = as_array(a), np.ndim(a)
    for axis in np.ravel(axes):
        place = int(axis) + rank if axis < 0 else int(axis)
        result = func(value, place)
        if np.ndim(result) != rank:
            result = np.expand_dims(result, place)
        if np.ndim(result) != rank:
            raise ValueError("function is not returning an array of the correct shape")
        value = result
    return value


def piecewise(x: Any, condlist: Any, funclist: Any, *args: Any, **kw: Any) -> Any:
    several = isinstance(condlist, (list, tuple)) or np.ndim(condlist) > np.ndim(x)
    if np.isscalar(condlist) or not several or (np.ndim(x) and not np.ndim(condlist[0])):
        condlist = [condlist]
    conditions = [as_array(condition, dtype=bool) for condition in condlist]
    count = len(conditions)
    if len(funclist) == count + 1:
        conditions.append(~np.any(np.stack(conditions), axis=0))
    elif len(funclist) != count:
        raise ValueError(f"with {count} condition(s), either {count} or {count + 1} functions are expected")
    x = as_array(x)
    result = np.zeros_like(x)
    for condition, function in zip(conditions, funclist, strict=True):
        if callable(function):
            write_selected(result, condition, function, x[condition], *args, **kw)
        else:
            result[condition] = function
    return result


def write_selected(
    result: Any, condition: Any, function: Callable[..., Any], values: Any, *args: Any, **kwargs: Any
) -> None:
    """Write `function(values, ...)` where the condition holds, unless it holds nowhere."""

    def body() -> None:
        result[condition] = function(values, *args, **kwargs)

    staging.if_stmt(active_backend(), values.size > 0, body, nothing, tuple, set_nothing, (), 0)


def vectorized(vectorize: np.vectorize, *args: Any, **kwargs: Any) -> Any:
    """Call an `np.vectorize` object: once for the first element, then in a loop over all of them."""
    if kwargs or vectorize.signature or vectorize.excluded or vectorize.cache:
        raise UnsupportedFunctionError(
            "np.vectorize with keyword arguments, `signature`, `excluded` or `cache` cannot be staged",
            why="the graph has no loop for such a call",
            remedy="write the loop over the elements yourself",
        )
    arrays = np.broadcast_arrays(*map(as_array, args))
    flat = [np.ravel(array) for array in arrays]
    dtypes = vectorize.otypes or dtypes_of_results(vectorize.pyfunc, flat)
    results = [lists.staged_list([]) for _ in dtypes]

    def body(*items: Any) -> None:
        values = vectorize.pyfunc(*map(recording.item, items))
        for column, value in zip(results, values if len(results) > 1 else (values,), strict=True):
            column.append(value)

    source, call = (flat[0], body) if len(flat) == 1 else (staged_zip(*flat), lambda items: body(*items))
    staging.for_stmt(active_backend(), source, None, call, tuple, set_nothing, (), {})
    made = [
        np.reshape(as_array(column, dtype=dtype), np.shape(arrays[0]))
        for column, dtype in zip(results, dtypes, strict=True)
    ]
    return made[0] if len(made) == 1 else tuple(made)


def dtypes_of_results(function: Any, flat: list[Any]) -> list[np.dtype[Any]]:
    """Return the dtypes of the results for the first elements, with which NumPy determines them, too."""
    if 0 in (array.type.shape[0] for array in flat):
        raise ValueError("cannot call `vectorize` on size 0 inputs unless `otypes` is set")
    first = function(*(array[0] for array in flat))
    return [as_array(value).dtype for value in (first if isinstance(first, tuple) else (first,))]


def items_with_indices(arr: Any) -> Any:
    """Return an iterator over the indices and elements of an array, as `np.ndenumerate` does."""
    shape = require_plain(tuple(map(dimension_result, arr.type.shape)), "the shape of the array")
    return ((index, arr[index]) for index in np.ndindex(*shape))


def fromfunction(function: Any, shape: Any, *, dtype: Any = float, like: Any = None, **kwargs: Any) -> Any:
    return function(*recording.call(np.indices, (shape, dtype), {}), **kwargs)


def formatted(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that records a call whose result is text."""

    def call(*args: Any, **kwargs: Any) -> Any:
        check_print_options()
        return recording.call_by_rule(function, lambda *_, **__: TEXT, *args, **kwargs)

    return call


TEXT = ScalarType(str)

COMPOSITIONS: dict[Any, Callable[..., Any]] = {
    np.apply_along_axis: apply_along_axis,
    np.apply_over_axes: apply_over_axes,
    np.piecewise: piecewise,
    np.fromfunction: fromfunction,
    np.ndenumerate: items_with_indices,
    np.vectorize: vectorized,
    **{f: formatted(f) for f in TEXT_FUNCTIONS},
}
