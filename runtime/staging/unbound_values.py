"""Checks, when a program runs, of values that some path leaves unbound."""

from __future__ import annotations

import operator
from collections.abc import Iterator
from typing import Any

from ..backends import BACKENDS, Backend, staged_by
from ..errors import MissingValueError
from ..values.structures import REBUILT, Spec, flatten, unflatten


def bound(backend: Backend, value: Any) -> Any:
    """Return a staged value, with a run-time check if it may be unbound."""
    check = getattr(backend, "bound", None)
    return value if check is None else check(value)


def bound_parts(value: Any) -> Any:
    """Return a structure with run-time checks for the staged values that may be unbound."""
    leaves, spec = flatten(value)
    owners = list(map(staged_by, leaves))
    if not any(owners):
        return value
    read = is_read(spec)
    checked = [
        bound(o, leaf) if o is not None and is_one else leaf
        for o, leaf, is_one in zip(owners, leaves, read, strict=True)
    ]
    if all(map(operator.is_, checked, leaves)):
        return value
    return unflatten(spec, checked)


def is_read(spec: Spec, *, is_known: bool = True) -> Iterator[bool]:
    """Yield for each leaf whether reading the structure reads it. Of what may be None, that is its marker."""
    if spec.kind is None:
        yield is_known
    for i, part in enumerate(spec.parts):
        yield from is_read(part, is_known=is_known and (i == 0 or REBUILT not in vars(spec.kind)))


def certain(value: Any, name: str) -> Any:
    """Return an attribute's value, or raise if its existence is known only at run time."""
    backend = BACKENDS[type(value)]
    if backend is not None and backend.is_staged(value) and bound(backend, value) is not value:
        raise MissingValueError(
            f"whether the attribute {name!r} exists depends on a staged value",
            why="hasattr() and getattr() decide during the trace, but "
            "the answer is known only when the graph runs",
            remedy=f"assign the attribute {name!r} on each path",
        )
    return value
