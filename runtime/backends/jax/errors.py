"""Errors of ours in the place of JAX's, where a shape would depend on a staged value."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator

import jax

from ...errors import StagingError

_UNKNOWN = (
    jax.errors.ConcretizationTypeError,
    jax.errors.NonConcreteBooleanIndexError,
    jax.errors.TracerArrayConversionError,
    jax.errors.TracerIntegerConversionError,
)
_SHAPES = (
    "{} has a shape that depends on a staged value, and the shapes of JAX are static. Pass what decides the "
    "shape as a plain number (jax.jit's static_argnums), or use jnp.where or lax.dynamic_slice"
)


@contextlib.contextmanager
def shapes_known(what: str) -> Iterator[None]:
    """An error of ours where JAX needs a number now that is known only when the program runs."""
    try:
        yield
    except _UNKNOWN as error:
        raise StagingError(_SHAPES.format(what)) from error
    except (IndexError, TypeError) as error:
        if not re.search("static|concrete values", str(error)):
            raise
        raise StagingError(_SHAPES.format(what)) from error
