"""Tests of identity: `is`, and `==` and the hash of classes that define neither. The text of dataclasses.

Several values of a trace may stand for one object of the running program, such as two items that are read at
staged indexes. No two of these *stand-ins* can be told apart.
"""

from __future__ import annotations

import functools
import types
from collections.abc import Callable
from typing import Any

from ..backends import staged_by
from ..core.active_backends import active_backend
from ..core.closures import never
from ..core.traces import current_trace
from ..errors import AliasError
from ..values.structures import CONTAINERS, flatten
from .state.missing_values import OptionalStructure


def is_same(self: Any, other: Any) -> Any:
    """`self == other` for a class that does not define it."""
    if self is other:
        return True
    refuse_identity(self, other)
    return NotImplemented


def hash_of_identity(self: Any) -> int:
    """`hash(self)` for a class that does not define it."""
    refuse_identity(self, self)
    return object.__hash__(self)


METHODS: dict[str, Callable[..., Any]] = {"__eq__": is_same, "__hash__": hash_of_identity}
"""Forms of the methods of `object` that refuse stand-ins."""


def identical(first: Any, second: Any) -> Any:
    """`first is second` for two values, of which one may be staged."""
    for value, truth in ((first, second), (second, first)):
        if (is_same_object := getattr(type(value), "ag__is", None)) is not None:
            return is_same_object(value, truth)
        backend = staged_by(value) if truth is True or truth is False else None
        if backend is not None and getattr(backend, "is_bool", never)(value):
            return value if truth else backend.not_(value)
        is_member = getattr(staged_by(value), "is_member", None)
        if is_member is not None and (result := is_member(value, truth)) is not NotImplemented:
            return result
    refuse_identity(first, second)
    return False


def refuse_identity(first: Any, second: Any) -> None:
    """Raise if a value is a stand-in, and may be the same object as the other one when the program runs."""
    for value in (first, second):
        if isinstance(value, OptionalStructure):
            value.ag__refuse_identity()
    is_stand_in = getattr(active_backend(), "is_stand_in", never)
    if all(getattr(value, "may_be_none", False) for value in (first, second)):
        may_be_same = True  # both may be None
    elif is_stand_in(first) or is_stand_in(second):
        may_be_same = type(first) is type(second) or (staged_by(first) or staged_by(second)) is not None
    else:
        may_be_same = _may_be_rebuilt(first, second)
    if may_be_same:
        raise AliasError(
            f"the identity of a {type(first).__name__} is tested, and which object it is depends on staged "
            "values",
            why="it is an item of a staged list, or a staged condition selects it",
            remedy="compare values (a == b), or an attribute that identifies the object: a.name == b.name",
        ).about(first)


def _may_be_rebuilt(first: Any, second: Any) -> bool:
    """Return whether two values may be one tuple or frozen object, rebuilt from its parts."""
    if type(first) is not type(second) or type(first) in CONTAINERS:
        return False
    leaves, spec = flatten(first)
    others, other_spec = flatten(second)
    is_staged = any(staged_by(leaf) is not None for leaf in (*leaves, *others))
    return spec.kind is not None and spec == other_spec and is_staged


# Text


def field_text(method: types.FunctionType, names: list[str]) -> Any:
    """Return a staged form of a `__repr__` that shows the fields with these names."""

    @functools.wraps(method)
    def show(self: Any) -> Any:
        trace: Any = current_trace()
        if trace is None:
            return method(self)
        operators = trace.namespace
        fields = ", ".join([f"{n}={operators.fmt(getattr(self, n), 'r')}" for n in names])
        return operators.text(f"{self.__class__.__qualname__}({fields})")

    return show
