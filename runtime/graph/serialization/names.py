"""The names that stand in a file for functions, types and exceptions.

A file can name what these tables hold and nothing else: a name is looked up here, never in a module,
and no text of a file is evaluated.
"""

from __future__ import annotations

import builtins
import operator
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from .. import builtins as staged_builtins
from ..staging.raises import revived
from .effects import DRAWS, draw
from .record import function_name, with_shape
from .rules import METHODS, NUMPY
from .rules.summing import sum_to
from .staged import _real
from .texts import joined

UFUNC_METHODS = ("reduce", "accumulate", "outer", "reduceat")

FUNCTION_OF: dict[str, Callable[..., Any]] = {
    **{f.__name__: f for f in (len, sum, min, max, any, all, sorted, round, int, float, bool, complex, str)},
    "_real": _real,
    "getitem": operator.getitem,
    "text": joined,
    "raise": revived,
    "with_shape": with_shape,
    "default_rng": np.random.default_rng,
    **dict.fromkeys(DRAWS, draw),
}
"""The function of each op that has one and only one, besides calls."""

ITERATED: dict[str, type] = {"list": list, "tuple": tuple}
"""What an op `iterate` may make."""


def _public() -> Iterator[tuple[str, Any]]:
    for prefix, module in (
        ("numpy", np),
        ("numpy.linalg", np.linalg),
        ("numpy.fft", np.fft),
        ("numpy.strings", np.strings),
    ):
        for name, value in vars(module).items():
            if not name.startswith("_") and callable(value):
                yield f"{prefix}.{name}", value


def _calls() -> Iterator[tuple[str, Any]]:
    """NumPy's functions under their own names first, then under others; methods of arrays; `math`."""
    known = {id(function) for function in NUMPY}
    listed = [(n, f) for n, f in _public() if isinstance(f, np.ufunc) or id(f) in known]
    yield from sorted(listed, key=lambda pair: not pair[0].endswith(f".{pair[1].__name__}"))
    public = {id(f) for _, f in listed}
    yield from ((f"numpy.ndarray.{name}", f) for name, f in METHODS.items() if id(f) not in public)
    yield "sum_to", sum_to
    yield from ((f"math.{f.__name__}", f) for f in staged_builtins.MATH)


CALLS: dict[str, Callable[..., Any]] = {}
_NAME_OF: dict[Any, str] = {}

for _name, _function in _calls():
    CALLS[_name] = _function
    _NAME_OF.setdefault(id(_function), _name)
    if isinstance(_function, np.ufunc):
        for _method in UFUNC_METHODS:
            CALLS[f"{_name}.{_method}"] = getattr(_function, _method)


def name_of(function: Any) -> str | None:
    """The name under which `CALLS` has a function."""
    owner = getattr(function, "__self__", None)
    if isinstance(owner, np.ufunc):
        base = _NAME_OF.get(id(owner))
        return f"{base}.{function.__name__}" if base and function.__name__ in UFUNC_METHODS else None
    return _NAME_OF.get(id(function))


def op_of(function: Any) -> str:
    """The op of a call's node."""
    owner = getattr(function, "__self__", None)
    if isinstance(owner, np.ufunc):
        return f"numpy.{owner.__name__}.{function.__name__}"
    if isinstance(function, np.ufunc):
        return f"numpy.{function.__name__}"
    if _NAME_OF[id(function)].startswith("math."):
        return _NAME_OF[id(function)]
    return function_name(function)


SCALARS: dict[str, type] = {kind.__name__: kind for kind in (bool, int, float, complex, str)}

TYPES: dict[str, type] = {
    **SCALARS,
    "bytes": bytes,
    **{
        f"numpy.{kind.__name__}": kind
        for _, kind in _public()
        if isinstance(kind, type) and issubclass(kind, np.generic) and kind is not np.object_
    },
}
"""Types that may be an argument of a call, such as `dtype=int`."""

EXCEPTIONS: dict[str, type[Exception]] = {
    kind.__name__: kind
    for kind in (*vars(builtins).values(), np.linalg.LinAlgError, *vars(np.exceptions).values())
    if isinstance(kind, type) and issubclass(kind, Exception)
}


def exception_name(kind: type[BaseException]) -> str:
    """The name of an exception, or of the nearest base that has one."""
    return next(k.__name__ for k in kind.__mro__ if EXCEPTIONS.get(k.__name__) is k)
