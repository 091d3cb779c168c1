"""Higher-order functions such as `map`, `functools.reduce` and a framework's `grad`.

During staging, they receive converted functions in place of the user's. With custom operators or replaced
builtins, Python's own higher-order functions receive converted functions even when nothing is staged.
"""

from __future__ import annotations

import functools
import itertools
import types
from collections.abc import Callable
from typing import Any

import numpy as np

from ..core.active_backends import active_backend
from ..debugging.tracebacks import drop_current_frame

BUILTINS = frozenset(
    (
        map, filter, sorted, functools.reduce, itertools.accumulate, itertools.starmap, itertools.takewhile,
        itertools.dropwhile, itertools.filterfalse, itertools.groupby,
        np.apply_along_axis, np.apply_over_axes, np.piecewise, np.fromfunction, np.mask_indices, np.vectorize,
    )
)  # fmt: skip
_packages: set[str] = set()
_excluded: set[str] = set()
_transparent: set[types.CodeType] = set()
_FUNCTIONS = (types.FunctionType, types.MethodType, functools.partial)


def register_framework(package: str, *, but: tuple[str, ...] = ()) -> None:
    """Treat a package's functions as higher-order functions, except those in the modules that `but` names."""
    _packages.add(package)
    _excluded.update(f"{module}." for module in but)


def register_transparent(decorator: Callable[..., Any]) -> None:
    """Treat a call of a function that `decorator` wraps as a call of the wrapped function."""
    wrapped = decorator(lambda: None)
    if type(wrapped) is types.FunctionType and hasattr(wrapped, "__wrapped__"):
        _transparent.add(wrapped.__code__)


def has_transparent_code(function: types.FunctionType) -> bool:
    """Return whether a registered decorator created a function. All that it creates share one code object."""
    return function.__code__ in _transparent


def is_transparent(function: types.FunctionType) -> bool:
    """Return whether a registered decorator created a function that calls its `__wrapped__`.

    The result of `jax.grad(f)` has transparent code and calls a function of JAX, but names `f` as wrapped.
    """
    wrapped = getattr(function, "__wrapped__", None)
    return has_transparent_code(function) and any(
        cell.cell_contents is wrapped for cell in function.__closure__ or ()
    )


def takes_functions(function: Any) -> bool:
    """Return whether an unconverted function may call its arguments."""
    module = getattr(function, "__module__", None)
    if type(module) is str and module.partition(".")[0] in _packages:
        return not f"{module}.".startswith(tuple(_excluded))
    return is_higher_order(function)


def is_higher_order(function: Any) -> bool:
    """Return whether a function of the standard library or NumPy calls its arguments."""
    try:
        return function in BUILTINS
    except TypeError:  # not hashable
        return False


def with_converted_function(vectorize: np.vectorize, callee: Callable[[Any], Any]) -> np.vectorize:
    """Return a copy of an `np.vectorize` object that calls the converted function."""
    return np.vectorize(
        _convert(callee, None, vectorize.pyfunc),
        vectorize.otypes,
        vectorize.__doc__,
        vectorize.excluded,
        vectorize.cache,
        vectorize.signature,
    )


def with_converted_arguments(
    function: Callable[..., Any],
    callee: Callable[[Any], Any],
    replacement: Callable[[Any], Any] | None = None,
) -> Callable[..., Any]:
    """Wrap `function` so that each function passed to it is replaced by `replacement`, or else converted."""
    return functools.partial(_call, function, functools.partial(_convert, callee, replacement))


def _call(function: Callable[..., Any], convert: Callable[[Any], Any], /, *args: Any, **kwargs: Any) -> Any:
    try:
        return function(*map(convert, args), **{name: convert(value) for name, value in kwargs.items()})
    except BaseException as error:
        drop_current_frame(error)
        raise


def _convert(callee: Callable[[Any], Any], replacement: Callable[[Any], Any] | None, value: Any) -> Any:
    if replacement is not None and (replaced := replacement(value)) is not None:
        return replaced
    kind = type(value)
    if kind in _FUNCTIONS:
        converted = callee(value)
        # Outside of a trace, a framework may key its caches on the identity of functions.
        is_stable = replacement is not None or active_backend() is not None or converted is callee(value)
        return converted if is_stable else value
    if (kind is list or kind is tuple) and any(type(v) in _FUNCTIONS for v in value):
        return kind([_convert(callee, replacement, v) for v in value])
    return value
