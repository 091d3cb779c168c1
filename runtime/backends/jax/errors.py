"""Errors for staged values that JAX needs at trace time, and the user's position in JAX's own errors."""

from __future__ import annotations

import contextlib
import re
import sys
import types
from collections.abc import Callable, Iterator
from typing import Any

import jax

from ...debugging.tracebacks import FULL, user_frame
from ...errors import ValueNeededError

_CONCRETIZATION_ERRORS = (
    jax.errors.ConcretizationTypeError,
    jax.errors.NonConcreteBooleanIndexError,
    jax.errors.TracerArrayConversionError,
    jax.errors.TracerIntegerConversionError,
)


@contextlib.contextmanager
def static_shapes(what: str) -> Iterator[None]:
    """Replace JAX's error about a staged value that determines a shape with a `ValueNeededError`."""
    try:
        yield
    except (IndexError, TypeError) as error:
        if not isinstance(error, _CONCRETIZATION_ERRORS) and not re.search(
            "static|concrete values", str(error)
        ):
            raise
        raise ValueNeededError(
            f"{what} has a shape that depends on a staged value",
            why="JAX needs every shape during the trace, before the value is known",
            remedy="pass the value that determines the shape as a plain number (static_argnums of jax.jit), "
            "or use jnp.where or lax.dynamic_slice",
        ) from error


def at_user_statement(traced: Callable[..., Any]) -> Callable[..., Any]:
    """Give a function the position of the running user statement, which JAX's errors then report."""
    frame = None if FULL else user_frame(sys._getframe())
    if frame is not None:
        code = _template.__code__.replace(co_filename=frame.f_code.co_filename, co_firstlineno=frame.f_lineno)
        traced.__wrapped__ = types.FunctionType(code, {}, frame.f_code.co_name)  # type: ignore[attr-defined]
    return traced


def _template(*_: Any) -> None:
    pass
