"""The positions of Python's own iterators, which advance but cannot be set back."""

from __future__ import annotations

import gc
import itertools
import operator
import types
from typing import Any


class _Sequence:
    def __getitem__(self, index: int) -> None: ...


_OF_SEQUENCES = (type(iter(_Sequence())), reversed)
"""The types of iterators over sequences of a user's class. Their length hint would run user code, so their
position is read from `__reduce__()`.
"""


def is_python_iterator(value: Any) -> bool:
    """Return whether a value is a builtin iterator, which has no user attributes."""
    kind = type(value)
    return kind.__module__ in ("builtins", "itertools") and hasattr(kind, "__next__")


def referents(iterator: Any) -> list[Any]:
    """Return what an iterator refers to, and in place of its tuples what these contain.

    No tuple is read: that of `zip_longest` has a null pointer where an iterator is exhausted.
    """
    found: list[Any] = []
    for part in gc.get_referents(iterator):
        found += gc.get_referents(part) if type(part) is tuple else [part]
    return found


def iterator_position(value: Any) -> Any:
    """Return a value that compares equal until an iterator advances."""
    if isinstance(value, types.GeneratorType):
        frame = value.gi_frame  # its `f_locals` would keep the current values alive
        return None if frame is None else (frame.f_lasti, [id(v) for v in gc.get_referents(value)])
    if isinstance(value, itertools.count):
        return repr(value)
    if type(value) in _OF_SEQUENCES:
        return value.__reduce__()[2:]
    parts = referents(value)
    return operator.length_hint(value, -1), [
        iterator_position(part) for part in parts if is_python_iterator(part)
    ]
