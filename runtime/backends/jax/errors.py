"""Errors of ours in the place of JAX's, where a shape would depend on a staged value; places in JAX's own."""

from __future__ import annotations

import contextlib
import re
import sys
import types
from collections.abc import Callable, Iterator
from typing import Any

import jax

from ...errors import ValueNeededError
from ...tracebacks import FULL, user_frame

_UNKNOWN = (
    jax.errors.ConcretizationTypeError,
    jax.errors.NonConcreteBooleanIndexError,
    jax.errors.TracerArrayConversionError,
    jax.errors.TracerIntegerConversionError,
)


@contextlib.contextmanager
def shapes_known(what: str) -> Iterator[None]:
    """An error of ours where JAX needs a number now that is known only when the program runs."""
    try:
        yield
    except _UNKNOWN as error:
        raise _unknown_shape(what) from error
    except (IndexError, TypeError) as error:
        if not re.search("static|concrete values", str(error)):
            raise
        raise _unknown_shape(what) from error


def _unknown_shape(what: str) -> ValueNeededError:
    return ValueNeededError(
        f"{what} has a shape that depends on a staged value",
        why="the shapes of JAX are static",
        remedy="pass what decides the shape as a plain number (jax.jit's static_argnums), or use jnp.where "
        "or lax.dynamic_slice",
    )


def at_statement(traced: Callable[..., Any]) -> Callable[..., Any]:
    """A function that JAX traces, as one of the user's statement that runs: errors of JAX say where it is."""
    frame = None if FULL else user_frame(sys._getframe())
    if frame is not None:
        code = _nothing.__code__.replace(co_filename=frame.f_code.co_filename, co_firstlineno=frame.f_lineno)
        traced.__wrapped__ = types.FunctionType(code, {}, frame.f_code.co_name)  # type: ignore[attr-defined]
    return traced


def _nothing(*_: Any) -> None:
    pass
