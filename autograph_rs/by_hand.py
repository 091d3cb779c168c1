"""What is left as it is by hand: a function, or the calls of a block."""

from __future__ import annotations

import types
from typing import Any

from autograph_rs.runtime.switch import Block

from . import policy
from .transpiler import live, thin_code


class LeftByHand(Block):
    """`do_not_convert()`: a decorator, and a context manager."""

    def __call__(self, f: Any) -> Any:
        return do_not_convert(f)


def do_not_convert(f: Any = None) -> Any:
    """Leave a function as it is when converted code calls it, or all functions that a block calls.

    Args:
        f: a function; without one, a decorator is returned, which is a context manager too.

    Raises:
        TypeError: `f` is no function.

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
    is_thin = isinstance(f, types.FunctionType) and f.__code__ is thin_code()
    function = policy.do_not_convert(f.__wrapped__ if is_thin else f)
    code = getattr(function, "__func__", function).__code__
    for transpiler in live():
        transpiler.leave(code)
    return function
