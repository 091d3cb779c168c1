"""What is left as it is by hand: a function, or the calls of a block."""

from __future__ import annotations

import types
from typing import Any

from autograph_rs.runtime.boundary import public
from autograph_rs.runtime.switch import Block

from . import policy
from .known import live
from .transpiler import thin_code


class LeftByHand(Block):
    """`do_not_convert()`: a decorator, and a context manager."""

    def __call__(self, f: Any) -> Any:
        return do_not_convert(f)


@public
def do_not_convert(f: Any = None) -> Any:
    """Leave a function as it is when converted code calls it, or all functions that a block calls.

    Args:
        f: a function; without one, a decorator is returned, which is a context manager too.

    Raises:
        ArgumentError: `f` is no function.

    >>> import autograph_rs as ag
    >>> @ag.do_not_convert
    ... def helper(x):
    ...     return 1 if x else 2
    >>> def f(x):
    ...     with ag.do_not_convert():
    ...         return helper(x)
    >>> ag.to_graph(f)(0)
    2
    """
    if f is None:
        return LeftByHand()
    inner = getattr(f, "__func__", f)
    if isinstance(inner, types.FunctionType) and inner.__code__ == thin_code():
        inner = inner.__wrapped__  # type: ignore[attr-defined]
        f = _around(f, inner)
    policy.do_not_convert(inner)
    for transpiler in live():
        transpiler.leave(inner.__code__)
    return f


def _around(method: Any, function: types.FunctionType) -> Any:
    """A function in what another one was in."""
    if isinstance(method, types.MethodType):
        return types.MethodType(function, method.__self__)
    return type(method)(function) if isinstance(method, (staticmethod, classmethod)) else function
