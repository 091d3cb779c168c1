"""Wrappers that run a converted function while staging, and the original otherwise."""

from __future__ import annotations

import sys
import types
from collections.abc import Callable
from typing import Any

from autograph_rs import runtime
from autograph_rs.runtime import staging
from autograph_rs.runtime.backends import CALL_TRACERS, COMPILERS, Backend, staged_by
from autograph_rs.runtime.backends.compiler_imports import watch_compilers
from autograph_rs.runtime.debugging import tracebacks
from autograph_rs.runtime.operators.calls import CacheEntry
from autograph_rs.runtime.operators.higher_order import has_transparent_code, is_transparent
from autograph_rs.runtime.operators.opt_out import is_opted_out
from autograph_rs.runtime.values.reachability import reaches

from ..source import definitions
from ..source.code_objects import may_outlive_call, walk_code
from . import loader


class LazyConversion:
    """The conversion of a wrapped function, delayed until its first staged call.

    Libraries that pickle functions by value pickle this object and the function's source with the wrapper.
    """

    def __init__(self, transpiler: Any, function: types.FunctionType, source: str | None):
        self.transpiler, self.function, self.source = transpiler, function, source
        self.converted: Callable[..., Any] | None = None

    def __reduce__(self) -> Any:
        source = self.source or definitions.own_source(self.function)
        return LazyConversion, (self.transpiler, self.function, source)


def forwarding_wrapper(conversion: LazyConversion, *, always: bool) -> Callable[..., Any]:
    """Return a wrapper that runs the converted function while a backend is staging, or always if `always`.

    A function that creates functions, which may outlive its call, always runs converted, but without a trace
    unless a backend is staging.
    """
    watch_compilers()
    f = conversion.function
    outlives = may_outlive_call(f.__code__)
    if outlives:
        conversion.converted = conversion.transpiler.to_graph(f, source=conversion.source)

    def convert_call(*args: Any, **kwargs: Any) -> Any:
        try:
            if not always:
                for is_compiling, call in COMPILERS:
                    if is_compiling():
                        return call(convert_call, f, args, kwargs)
            is_staging = runtime.is_staging()
            starting = _starting_backends(f, args, kwargs) if CALL_TRACERS and not is_staging else ()
            if not (is_staging or starting or always or outlives) or is_opted_out():
                return f(*args, **kwargs)
            if conversion.converted is None:
                conversion.converted = conversion.transpiler.to_graph(f, source=conversion.source)
            if not (is_staging or starting or always):
                return conversion.converted(*args, **kwargs)
            try:
                tracing = staging.Tracing(conversion.transpiler.namespace, f, (args, kwargs))
                with runtime.backend_contexts(starting), tracing:
                    return runtime.returned(conversion.converted(*args, **kwargs))
            except BaseException as error:
                if staging.ended(error, sys._getframe()):
                    return None
                raise
        except BaseException as error:
            tracebacks.add_unconverted_notes(error)
            tracebacks.drop_current_frame(error)
            raise

    convert_call.__code__ = convert_call.__code__.replace()  # torch.compile counts compilations of each code
    return loader.copy_metadata(f, convert_call)  # type: ignore[no-any-return]


def _starting_backends(f: Callable[..., Any], args: Any, kwargs: dict[str, Any]) -> list[Backend]:
    """Return the backends without traces of their own whose staged values a call may reach."""
    return [
        backend
        for backend in CALL_TRACERS
        if reaches((f, args, kwargs), lambda value: staged_by(value) is backend)  # noqa: B023 - called now
    ]


WRAPPER_CODE = next(c for c in walk_code(forwarding_wrapper.__code__) if c.co_name == "convert_call")
"""The code that all forwarding wrappers share."""


def conversion_of(wrapper: types.FunctionType) -> LazyConversion:
    assert wrapper.__closure__ is not None
    cell = wrapper.__closure__[wrapper.__code__.co_freevars.index("conversion")]
    return cell.cell_contents  # type: ignore[no-any-return]


class TransparentEntry:
    """The cache entry of all functions that a transparent decorator created.

    Those that call their `__wrapped__` are replaced by its conversion.
    """

    shared = None
    globals = None

    def __init__(self, callee: Callable[[Any], Any]):
        self._callee = callee

    def bind(self, wrapper: Any) -> Any:
        if not is_transparent(wrapper):
            return wrapper
        wrapped = wrapper.__wrapped__
        converted = self._callee(wrapped)
        return wrapper if converted is wrapped else converted


class ForwardingEntry:
    """The cache entry of forwarding wrappers, which redirects their calls to the wrapped functions."""

    shared = None
    globals = None

    def bind(self, wrapper: Any) -> Any:
        conversion = conversion_of(wrapper)
        transpiler, function = conversion.transpiler, conversion.function
        if conversion.source is None or transpiler.policy.reason_unconverted(function) is not None:
            return transpiler.callee(function)
        return transpiler.converted_code(function, conversion.source).bind(function)


def wrapper_entry(f: types.FunctionType, callee: Callable[[Any], Any]) -> CacheEntry | None:
    """Return the cache entry for a forwarding wrapper or a transparent one, or None for other functions."""
    if f.__code__ == WRAPPER_CODE:  # unpickled from another process
        return ForwardingEntry()
    return TransparentEntry(callee) if has_transparent_code(f) else None
