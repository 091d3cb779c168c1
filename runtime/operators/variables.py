"""Operators for variables and attributes that may be unbound, and for `locals()`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .. import staging
from ..backends import BACKENDS
from ..core.undefined import Undefined, unbound_error
from ..debugging.tracebacks import drop_current_frame
from ..errors import MissingValueError


def ld(value: Any) -> Any:
    """Load the value of a variable that may be unbound."""
    if type(value) is Undefined:
        try:
            raise unbound_error(value.error)
        except (AttributeError, NameError) as error:
            drop_current_frame(error)
            raise
    if staging.ACTIVE and isinstance(value, (tuple, list, dict)):
        return staging.bound_parts(value)
    backend = BACKENDS[type(value)]
    if backend is not None:
        return staging.bound(backend, value)
    if staging.ACTIVE:
        staging.bind_attributes(value)
    return value


def ldu(load: Callable[[], Any], name: str) -> Any:
    """Return `load()`, or an `Undefined` if the variable or attribute has no value."""
    try:
        return load()
    except (AttributeError, NameError) as error:
        if isinstance(error, MissingValueError):  # raised by a property
            raise
        is_local = "variable" in str(error)  # Python's message names a cell; `Undefined` makes its own
        return Undefined(name, "" if is_local else str(error))
    except LookupError:
        return Undefined(name)


def set_attr(target: Any, name: str, value: Any) -> None:
    """Set an attribute that belongs to a statement's state, or delete it if `value` is an `Undefined`.

    An attribute that a method of the user sets is not set again: what the method stored is part of the state.
    """
    if staging.is_computed(type(target), name):
        return
    if type(value) is Undefined:
        if name in getattr(target, "__dict__", ()):
            delattr(target, name)
    elif getattr(target, name, Undefined) is not value:
        setattr(target, name, value)


def visible(found: Any, added: tuple[str, ...]) -> Any:
    """Return the result of `locals()`, `vars()` or `dir()` without the names that the conversion added."""
    names = [name for name in found if name not in added and not name.startswith("ag__")]
    return {name: found[name] for name in names} if isinstance(found, dict) else names
