"""Where Python's own iterators stand, as far as that can be told without moving them."""

from __future__ import annotations

import gc
import itertools
import operator
import types
from typing import Any


class _Sequence:
    def __getitem__(self, index: int) -> None: ...


_OF_SEQUENCES = (type(iter(_Sequence())), reversed)
"""Those that would ask a user's class for its length; the third of what they reduce to is an index."""


def is_plain(value: Any) -> bool:
    """Whether a value is an iterator of Python's own, which has no attributes of a user's."""
    kind = type(value)
    return kind.__module__ in ("builtins", "itertools") and hasattr(kind, "__next__")


def position(value: Any) -> Any:
    """Equal for an iterator that has not moved; an iterator over others stands where these do."""
    if isinstance(value, types.GeneratorType):
        frame = value.gi_frame  # its `f_locals` would keep what they hold now
        return None if frame is None else (frame.f_lasti, [id(v) for v in gc.get_referents(value)])
    if isinstance(value, itertools.count):
        return repr(value)
    if type(value) in _OF_SEQUENCES:
        return value.__reduce__()[2:]
    parts = gc.get_referents(value)
    parts += [inner for part in parts if type(part) is tuple for inner in part]  # zip and map hold one
    return operator.length_hint(value, -1), [position(part) for part in parts if is_plain(part)]
