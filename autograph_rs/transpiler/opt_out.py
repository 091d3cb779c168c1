"""`do_not_convert`: opt a function, a module, or the calls inside a block, out of conversion."""

from __future__ import annotations

import types
from typing import Any, overload

from autograph_rs.runtime.debugging.tracebacks import api_boundary, register_unconverted_note
from autograph_rs.runtime.operators.higher_order import is_transparent
from autograph_rs.runtime.operators.opt_out import OptOutContext

from ..source.code_objects import AnyFunction, map_function
from . import policy
from .forwarding import WRAPPER_CODE
from .registry import live_transpilers


class DoNotConvert(OptOutContext):
    """The result of `do_not_convert()`: a decorator and a context manager."""

    def __call__(self, f: AnyFunction) -> AnyFunction:
        return do_not_convert(f)


@overload
def do_not_convert(f: AnyFunction) -> AnyFunction: ...


@overload
def do_not_convert(f: types.ModuleType) -> types.ModuleType: ...


@overload
def do_not_convert(f: None = None) -> DoNotConvert: ...


@api_boundary
def do_not_convert(f: Any = None) -> Any:
    """Leave a function, a module, or every function called inside a `with` block, unconverted.

    Args:
        f: a function, or a module or package whose functions stay unconverted from now on. Without it, the
            result is a decorator that is also a context manager.

    Raises:
        ArgumentError: `f` is neither a function nor a module.

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
        return DoNotConvert()
    if isinstance(f, types.ModuleType):
        policy.opt_out_module(f.__name__)
        for transpiler in live_transpilers():
            transpiler.forget_calls()
        return f
    inner = getattr(f, "__func__", f)
    while isinstance(inner, types.FunctionType) and is_transparent(inner):
        inner = inner.__wrapped__  # type: ignore[attr-defined]
    if isinstance(inner, types.FunctionType) and inner.__code__ == WRAPPER_CODE:
        original = inner.__wrapped__  # type: ignore[attr-defined]
        inner, f = original, original if f is inner else map_function(f, lambda _: original)
    policy.do_not_convert(inner)
    register_unconverted_note(inner.__code__, f"{inner.__qualname__!r} is marked do_not_convert")
    for transpiler in live_transpilers():
        transpiler.skip(inner.__code__)
    return f
