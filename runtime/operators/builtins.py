"""Python's builtins, and functions of `math` and NumPy that look at their arguments themselves.

Converted code asks for the callee of every call; for the functions of this table it gets one that
hands staged arguments to their backend. `print` is staged in a branch or loop body even where all it
prints is plain, since it must print when that runs.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Iterable
from types import GeneratorType
from typing import Any

import numpy as np

from . import staging
from .active import active
from .backends import staged_by
from .chosen import ChosenList
from .tracebacks import without_own_frame


def _own(function: Any) -> Any:
    """Python's function, where PyTorch has another in its place because this is imported while it exports."""
    return function.keywords["real_callable"] if isinstance(function, functools.partial) else function


PYTHON = (
    print, len, range, enumerate, zip, reversed, _own(min), _own(max), sum, any, all, sorted, map, filter,
    int, float, bool, complex, str, repr, list, tuple, isinstance, type,
)  # fmt: skip
MATH = tuple(f for n, f in vars(math).items() if callable(f) and not n.startswith("_"))
NUMPY = tuple(
    getattr(np, n)
    for n in (
        "array", "asarray", "asanyarray", "ascontiguousarray", "asfortranarray", "require",
        "zeros", "ones", "empty", "full", "eye", "identity",
        "arange", "linspace", "logspace", "geomspace", "tri", "indices", "float64", "float32", "float16",
        "int64", "int32", "int16", "int8", "uint64", "uint32", "uint16", "uint8", "bool_", "complex128",
        "complex64", "shape", "ndim", "size", "stack", "concatenate", "vstack", "hstack", "meshgrid",
    )
)  # fmt: skip


def is_of_numpy(function: Any) -> bool:
    """Whether a callable is one of NumPy's, or a ufunc of whichever package."""
    if isinstance(function, np.ufunc):
        return True
    module = getattr(function, "__module__", None)
    return isinstance(module, str) and module.partition(".")[0] == "numpy" and callable(function)


_CONSUMERS = frozenset((_own(min), _own(max), sum, any, all, sorted))


def _staged_argument(args: tuple, kwargs: dict[str, Any], *, named: bool = False) -> Any:
    """The backend of a staged value among arguments; with `named`, one in a named tuple counts."""
    for value in (*args, *kwargs.values()):
        backend = staged_by(value)
        if backend is None and (
            type(value) in (list, tuple, ChosenList) or (named and hasattr(value, "_fields"))
        ):
            backend = _staged_argument(tuple(value), {}, named=named)
        if backend is not None:
            return backend
    return None


def _dispatching(function: Callable[..., Any]) -> Callable[..., Any]:
    def call(*args: Any, **kwargs: Any) -> Any:
        try:
            if staging.ACTIVE and (innermost := active()) is not None:
                if function in _CONSUMERS and args and type(args[0]) is GeneratorType:
                    args = (_consumed(function, args[0]), *args[1:])
                backend = _staged_argument(args, kwargs, named=function is print)
                if backend is None and function is print and staging.in_branch():
                    backend = innermost
                if backend is not None:
                    return backend.call_builtin(function, args, kwargs)
            return function(*args, **kwargs)
        except BaseException as error:
            without_own_frame(error)
            raise

    return call if isinstance(function, type) else functools.wraps(function)(call)


def _consumed(function: Callable[..., Any], items: Iterable[Any]) -> list[Any]:
    """The items that a function takes: `any` and `all` end at the first plain one that decides."""
    if function is not any and function is not all:
        return [*items]
    taken: list[Any] = []
    staged = False
    for item in items:
        staged = staged or staged_by(item) is not None
        taken.append(item if staged else bool(item))
        if not staged and taken[-1] is (function is any):
            break
    return taken


def _hasattr(*args: Any) -> bool:
    try:
        if not staging.ACTIVE or len(args) != 2:
            return hasattr(*args)
        try:
            staging.certain(getattr(*args), args[1])
        except AttributeError:
            return False
        return True
    except BaseException as error:
        without_own_frame(error)
        raise


def _getattr(*args: Any) -> Any:
    try:
        value = getattr(*args)
        return staging.certain(value, args[1]) if staging.ACTIVE and len(args) == 3 else value
    except BaseException as error:
        without_own_frame(error)
        raise


DISPATCHING = {id(f): _dispatching(f) for f in (*PYTHON, *MATH, *NUMPY)}
DISPATCHING |= {id(hasattr): _hasattr, id(getattr): _getattr}
