"""Operators for variables and attributes that may be unbound, and for `locals()`."""

from __future__ import annotations

import types
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
    return value if backend is None else staging.bound(backend, value)


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

    An attribute that a property or another descriptor of the user computes is not set: what its setter stored
    belongs to the state by itself.
    """
    if is_computed(type(target), name):
        return
    if type(value) is Undefined:
        if name in getattr(target, "__dict__", ()):
            delattr(target, name)
    elif getattr(target, name, Undefined) is not value:
        setattr(target, name, value)


def is_computed(kind: type, name: str) -> bool:
    """Return whether assigning an attribute calls a method of the user."""
    found = next((vars(base)[name] for base in kind.__mro__ if name in vars(base)), None)
    setter = getattr(type(found), "__set__", None)
    return type(found) is property or type(setter) is types.FunctionType


def visible(found: Any, added: tuple[str, ...]) -> Any:
    """Return the result of `locals()`, `vars()` or `dir()` without the names that the conversion added."""
    names = [name for name in found if name not in added and not name.startswith("ag__")]
    return {name: found[name] for name in names} if isinstance(found, dict) else names
