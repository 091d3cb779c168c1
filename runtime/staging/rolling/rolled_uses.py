"""Accesses to items of plain containers by staged keys, while a loop is being rolled.

A staged key can replace the plain counter only if it selects the same item. Backends that do not check
indices clip one that is out of range, and all of them give the items of a list one type. So an access that
may differ from Python's is a use (`core.rolling_attempts`), which prevents rolling unless the unrolled
loop has it too.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

from ...backends import Backend, staged_by
from ...core.rolling_attempts import counted_range, note_use
from ...debugging.tracebacks import user_frame
from ...values.structures import flatten


def note_item_use(backend: Backend, target: Any, key: Any, *, is_write: bool = False) -> None:
    """Note an access to `target[key]` unless every item exists and is of one type, or `target` is staged.

    A write to a list is always noted, because a staged key may change the list into an array.
    """
    is_safe = type(target) is not dict and not (is_write and isinstance(target, list))
    if staged_by(target) is not None or (is_safe and _is_exact(backend, target, key)):
        return
    frame = user_frame(sys._getframe(1))
    assert frame is not None
    note_use(frame.f_code, frame.f_lasti)


def _is_exact(backend: Backend, target: Any, key: Any) -> bool:
    """Return whether the counters in a key select what plain ones would."""
    shape: Sequence[int]
    if isinstance(target, (list, tuple)):
        shape = (len(target),)
        if not _are_alike(backend, target):
            return False
    else:
        shape = getattr(target, "shape", ())
    parts = key if isinstance(key, tuple) else (key,)
    if len(parts) > len(shape):
        return False
    if getattr(backend, "checks_indices", False) and all(getattr(part, "ndim", 0) == 0 for part in parts):
        return not any(isinstance(part, slice) for part in parts)
    return all(map(_is_within, parts, shape))


def _is_within(part: Any, length: Any) -> bool:
    """Return whether an index is an integer, and a counter that stays below a length if it is staged."""
    if staged_by(part) is None:
        return isinstance(part, int)
    values = counted_range(part)
    return values is not None and min(values) >= 0 and isinstance(length, int) and max(values) < length


def _are_alike(backend: Backend, items: Sequence[Any]) -> bool:
    """Return whether the items have one structure, and leaves of the same types."""
    parts = [flatten(item) for item in items]
    leaves, spec = parts[0] if parts else ([], None)
    types = list(map(backend.type_of, leaves))
    return None not in types and all(
        other == spec and list(map(backend.type_of, own)) == types for own, other in parts
    )
