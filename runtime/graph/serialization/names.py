"""Tables of the functions, types and exceptions that a file can name.

A reader looks up names only in these tables, never in a module, and evaluates no text from a file.
"""

from __future__ import annotations

import builtins
import operator
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from ...backends import builtins as staged_builtins
from ...staging.branches.exceptions import revived
from ..ir.expressions import RANDOM_OPS, draw
from ..rules import METHODS, TYPE_RULES
from ..rules.methods import TEXT_FUNCTIONS, flat_histogramdd, function_name, sum_to, ufunc_name
from ..rules.tables import scipy_name
from ..rules.writes import WRITES, WRITES_AT
from ..tracing.effects import join_pieces
from ..tracing.specs import with_shape
from ..tracing.tensor import _real

UFUNC_METHODS = ("reduce", "accumulate", "outer", "reduceat")

FUNCTION_OF: dict[str, Callable[..., Any]] = {
    **{f.__name__: f for f in (len, sum, min, max, any, all, sorted, round, int, float, bool, complex, str)},
    "_real": _real,
    "getitem": operator.getitem,
    "join": str.join,
    "text": join_pieces,
    "raise": revived,
    "with_shape": with_shape,
    "default_rng": np.random.default_rng,
    **dict.fromkeys(RANDOM_OPS, draw),
}
"""The function of each op that always calls the same function."""

ITERATED: dict[str, type] = {"list": list, "tuple": tuple}
"""The collections that the op `iterate` can build."""


def _public_callables() -> Iterator[tuple[str, Any]]:
    for prefix, module in (
        ("numpy", np),
        ("numpy.linalg", np.linalg),
        ("numpy.fft", np.fft),
        ("numpy.strings", np.strings),
        ("numpy.lib.stride_tricks", np.lib.stride_tricks),
    ):
        for name, value in vars(module).items():
            if not name.startswith("_") and callable(value):
                yield f"{prefix}.{name}", value


def _named_functions() -> Iterator[tuple[str, Any]]:
    """Yield names and functions: NumPy's (canonical names before aliases), array methods, and `math`."""
    typed = {id(function) for function in (*TYPE_RULES, *TEXT_FUNCTIONS)}
    functions = [(n, f) for n, f in _public_callables() if isinstance(f, np.ufunc) or id(f) in typed]
    yield from sorted(functions, key=lambda pair: not pair[0].endswith(f".{pair[1].__name__}"))
    public = {id(f) for _, f in functions}
    yield from ((f"numpy.ndarray.{name}", f) for name, f in METHODS.items() if id(f) not in public)
    yield from ((function_name(f), f) for f in (*WRITES.values(), *WRITES_AT.values()))
    yield from ((f.__name__, f) for f in (sum_to, flat_histogramdd))
    yield from ((f"math.{f.__name__}", f) for f in staged_builtins.MATH)


CALLS: dict[str, Callable[..., Any]] = {}
_NAME_OF: dict[Any, str] = {}

for _name, _function in _named_functions():
    CALLS[_name] = _function
    _NAME_OF.setdefault(id(_function), _name)
    if isinstance(_function, np.ufunc):
        for _method in UFUNC_METHODS:
            CALLS[f"{_name}.{_method}"] = getattr(_function, _method)


def name_of(function: Any) -> str | None:
    """Return the name of a function in `CALLS`, or None."""
    owner = getattr(function, "__self__", None)
    if isinstance(owner, np.ufunc):
        base = _NAME_OF.get(id(owner))
        return f"{base}.{function.__name__}" if base and function.__name__ in UFUNC_METHODS else None
    return _NAME_OF.get(id(function)) or scipy_name(function)


def op_of(function: Any) -> str:
    """Return the op of a node that calls this function."""
    owner = getattr(function, "__self__", None)
    if isinstance(owner, np.ufunc):
        return f"numpy.{owner.__name__}.{function.__name__}"
    if isinstance(function, np.ufunc):
        return ufunc_name(function)
    if _NAME_OF.get(id(function), "").startswith("math."):
        return _NAME_OF[id(function)]
    return function_name(function)


SCALARS: dict[str, type] = {kind.__name__: kind for kind in (bool, int, float, complex, str)}

TYPES: dict[str, type] = {
    **SCALARS,
    "bytes": bytes,
    **{
        f"numpy.{kind.__name__}": kind
        for _, kind in _public_callables()
        if isinstance(kind, type) and issubclass(kind, np.generic) and kind is not np.object_
    },
}
"""Types that can be an argument of a call, such as `dtype=int`."""

EXCEPTIONS: dict[str, type[Exception]] = {
    kind.__name__: kind
    for kind in (*vars(builtins).values(), np.linalg.LinAlgError, *vars(np.exceptions).values())
    if isinstance(kind, type) and issubclass(kind, Exception)
}


def exception_name(kind: type[BaseException]) -> str:
    """Return the name of an exception class, or of its nearest base class in `EXCEPTIONS`."""
    return next(k.__name__ for k in kind.__mro__ if EXCEPTIONS.get(k.__name__) is k)
