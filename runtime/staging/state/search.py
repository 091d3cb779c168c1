"""Search for what leads to a list or array: the variables, containers and closures that refer to it."""

from __future__ import annotations

import gc
import itertools
import sys
import threading
import types
from collections.abc import Collection, Iterable, Iterator
from types import FrameType
from typing import Any

import numpy as np

from ...backends import BACKENDS
from ...core.closures import cells_of, holder_frame
from ...debugging.tracebacks import is_internal
from ...values.locations import has_contents
from .heap import CLOSED

ROOT = "trace_root"
MAX_STEPS = 100_000  # a framework's model may reach almost every object
ATOMS = frozenset((int, float, complex, bool, str, bytes, type(None)))
_CONTAINERS = frozenset((list, dict, tuple, set, frozenset))


def user_frames(*, converted: bool = False, own: Collection[types.CodeType] = ()) -> list[FrameType]:
    """Return the frames of the user's functions in this trace, innermost first, each with its variables.

    With `converted`, and in a trace that a framework runs, return only those of converted functions: no
    internal frame marks where a framework's trace begins. `own` are functions of this package to count, too.
    """
    found: list[FrameType] = []
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and frame.f_code.co_name != ROOT:
        if frame.f_code in own or not is_internal(frame.f_code):
            found.append(frame)
        frame = (holder_frame(frame) or frame).f_back
    if converted or frame is None:
        return [f for f in found if "ag__" in f.f_code.co_freevars or f.f_code in own]
    return found


def _held_by_closure(function: types.FunctionType) -> list[Any]:
    cells = (cell for name, cell in cells_of(function).items() if name != "ag__")
    return [cell.cell_contents for cell in cells if has_contents(cell)]


def nested_codes(code: types.CodeType) -> Iterator[types.CodeType]:
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield constant
            yield from nested_codes(constant)


def _is_own_state(value: Any) -> bool:
    """Return whether a value is what this package keeps of a trace, to which converted functions lead."""
    return isinstance(value, threading.local) and type(value).__module__.startswith(_PACKAGE)


_PACKAGE = __name__.partition(".")[0]


def defined_codes(frames: Iterable[FrameType]) -> set[types.CodeType]:
    """Return the code of the functions that running functions define."""
    return {code for frame in frames for code in nested_codes(frame.f_code)}


def leads_to(
    start: Any,
    value: Any,
    limit: int = sys.maxsize,
    *,
    without: Collection[Any] = (),
    defined: Collection[types.CodeType] | None = None,
) -> bool:
    """Return whether an object refers to a list or array, or to a view of it, other than through `without`.

    The search gives up after `limit` objects and returns False.
    """
    return any_leads_to([start], value, limit, without=without, defined=defined)


def any_leads_to(
    starts: Iterable[Any],
    value: Any,
    limit: int = MAX_STEPS,
    *,
    without: Collection[Any] = (),
    defined: Collection[types.CodeType] | None = None,
) -> bool:
    """Return whether one of several objects refers to a list or array; what is near to them comes first.

    The functions with the code `defined`, by default all that running functions define, do not count.
    """
    is_array = isinstance(value, np.ndarray)
    return any(
        item is value or (is_array and isinstance(item, np.ndarray) and np.may_share_memory(item, value))
        for item in reached(starts, limit, without, defined)
    )


def reached(
    starts: Iterable[Any],
    limit: int,
    without: Collection[Any] = (),
    defined: Collection[types.CodeType] | None = None,
) -> Iterator[Any]:
    """Yield at most `limit` objects to which some objects lead; what is near to them comes first.

    What functions with the code `defined` close over is left out: it belongs to the functions around them.
    """
    seen: set[int] = set(map(id, without))
    level: list[Any] = [*starts]
    while level:
        containers: list[Any] = []
        following: list[Any] = []
        for item in level:
            kind = type(item)
            if kind in ATOMS or id(item) in seen:
                continue
            if len(seen) >= limit:
                return
            seen.add(id(item))
            yield item
            if kind in _CONTAINERS and len(item) < MAX_STEPS:
                containers.append(item)
            elif kind in _CONTAINERS:
                following.extend(itertools.islice(item.values() if kind is dict else item, MAX_STEPS))
            elif isinstance(item, np.flatiter):
                following.append(item.base)
            elif isinstance(item, np.nditer):
                following.extend(item.operands)
            elif isinstance(item, types.FunctionType):
                following.extend(item.__defaults__ or ())
                if item.__closure__:
                    if defined is None:
                        defined = defined_codes(user_frames())
                    following.extend(_held_by_closure(item) if item.__code__ not in defined else ())
            elif isinstance(item, types.BuiltinFunctionType):
                following.append(item.__self__)
            elif (
                not (isinstance(item, (np.ndarray, *CLOSED)) or _is_own_state(item))
                and BACKENDS[kind] is None
            ):
                following.extend(gc.get_referents(item))
        level = following + gc.get_referents(*containers)
