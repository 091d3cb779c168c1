"""Array methods, each with the function that computes the same result.

If NumPy's function takes different arguments, an *adapter* here calls the method instead. Its rules are
defined beside the rules of the function.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from .probing import numpy_functions
from .tables import scipy_name


def reshape(array: Any, *shape: Any, **options: Any) -> Any:
    return array.reshape(*shape, **options)


def transpose(array: Any, *axes: Any) -> Any:
    return array.transpose(*axes)


def astype(array: Any, dtype: Any, *args: Any, **options: Any) -> Any:
    return array.astype(dtype, *args, **options)


def flatten(array: Any, order: str = "C") -> Any:
    return array.flatten(order)


def copy(array: Any, *args: Any, **options: Any) -> Any:
    return array.copy(*args, **options)  # keeps a NumPy scalar, which numpy.copy converts to an array


def compress(array: Any, condition: Any, axis: Any = None) -> Any:
    return array.compress(condition, axis)


def clip(array: Any, min: Any = None, max: Any = None, **options: Any) -> Any:
    return array.clip(min, max, **options)


def view(array: Any, dtype: Any = None) -> Any:
    return array.view() if dtype is None else array.view(dtype)


def item(array: Any, *index: Any) -> Any:
    return array.item(*index)


_ADAPTERS = (reshape, transpose, astype, flatten, copy, clip, compress, item, view)

METHODS: dict[str, Callable[..., Any]] = {
    **{
        name: getattr(np, name)
        for name in (
            "sum prod min max any all mean std var argmin argmax cumsum cumprod trace diagonal "
            "ravel squeeze swapaxes repeat take choose nonzero searchsorted argsort argpartition "
            "round dot conj conjugate"
        ).split()
    },
    **{f.__name__: f for f in _ADAPTERS},
}
for _adapter in _ADAPTERS:
    _adapter.__module__ = "numpy.ndarray"  # the prefix of its name in graphs


def sum_to(array: Any, shape: tuple[int, ...]) -> Any:
    """Sum an array over the axes along which `shape` was broadcast to the array's shape.

    >>> import numpy as np
    >>> sum_to(np.ones((2, 3)), (3,)), sum_to(np.ones((2, 3)), (1, 3))
    (array([2., 2., 2.]), array([[2., 2., 2.]]))
    """
    array_shape = np.shape(array)
    if array_shape == shape:
        return array
    extra = len(array_shape) - len(shape)
    repeated = [extra + i for i, n in enumerate(shape) if n == 1 != array_shape[extra + i]]
    axes = *range(extra), *repeated
    if repeated:
        total = np.add.reduce(array, axes, keepdims=True)
        total = total.reshape(total.shape[extra:])
    else:
        total = np.add.reduce(array, axes)
    return np.broadcast_to(total, shape) if total.shape != shape else total


def flat_histogramdd(*args: Any, **kwargs: Any) -> tuple[Any, ...]:
    """Return the results of `np.histogramdd` in one tuple: the counts, then the edges of each dimension."""
    counts, edges = np.histogramdd(*args, **kwargs)
    return counts, *edges


TEXT_FUNCTIONS = numpy_functions(
    "array2string array_repr array_str base_repr binary_repr format_float_positional format_float_scientific"
)
"""Functions that return text."""

for _function in (sum_to, flat_histogramdd):
    _function.__module__ = ""  # the prefix of its name in graphs


def function_name(function: Callable[..., Any]) -> str:
    """Return the op of a call to a function."""
    module = getattr(function, "__module__", "") or ""
    name = getattr(function, "__name__", repr(function))
    if module == __name__:
        return f"numpy.ndarray.{name}"
    if module.startswith("scipy."):
        return scipy_name(function) or f"{module}.{name}"
    return f"{module.replace('numpy.core', 'numpy').replace('._', '.')}.{name}" if module else name


def ufunc_name(function: np.ufunc) -> str:
    """Return the op of a ufunc. Only NumPy's own have the prefix by which rules for ops know them."""
    name = function.__name__
    modules = (np, sys.modules.get("numpy.strings"))  # which NumPy imports late
    if any(getattr(module, name, None) is function for module in modules):
        return f"numpy.{name}"
    return scipy_name(function) or f"ufunc.{name}"
