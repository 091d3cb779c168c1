"""Objects that a traced function makes and returns: each call gives new ones, with arrays in the place of
staged values. So one that holds a staged value must be known to nobody else.
"""

from __future__ import annotations

import gc
import types
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from ..backends import BACKENDS
from ..errors import LeakError
from ..slots import attributes
from ..structures import Spec, flatten
from .iterables import Source
from .variables import Variable

_CLOSED = (
    int, float, complex, str, bytes, type(None), np.generic, np.ndarray, type, types.ModuleType,
    types.FunctionType, types.BuiltinFunctionType, types.CodeType, types.FrameType,
)  # fmt: skip
_REMEDY = "return its values, in a tuple, list, dict, dataclass or plain object that the function makes"


class Returned:
    """The objects that are taken apart in what one traced function returns or leaves in its arguments."""

    def __init__(self) -> None:
        self.opened: list[Any] = []

    def flatten(self, value: Any) -> tuple[list[Any], Spec]:
        return flatten(value, changeable=True, attributes=self._attributes)

    def _attributes(self, value: Any) -> dict[str, Any] | None:
        """What an object holds that holds staged values; None for other values.

        Raises:
            LeakError: there would be no such object for the caller.
        """
        if isinstance(value, _CLOSED) or BACKENDS[type(value)] is not None:
            return None
        if not any(map(_is_staged, _reached(value))):
            return None
        if any(value is known for known in self.opened):
            raise _refused(value, "stands twice in it, where the caller would get two")
        held = attributes(value)
        if not _is_plain(type(value)):
            raise _refused(value, "is of a class that is not made of attributes alone")
        if any(isinstance(part, Variable) for part in held.values()):
            raise _refused(value, "holds a Variable too")
        self.opened.append(value)
        return held

    def check(self, *roots: Any) -> None:
        """Raises `LeakError` where more than `roots` lead to an object that was taken apart."""
        own = {id(item) for root in roots for item in _reached(root)}
        own |= {id(roots), id(self.opened)}
        if self.opened and _others(self.opened, own):
            gc.collect()  # what has ended may be in a cycle
            for value in self.opened:
                if _others([value], own):
                    raise _refused(value, "is held elsewhere too, where they cannot be used after the trace")


def _others(values: list[Any], own: set[int]) -> bool:
    """Whether anything but what is the trace's own refers to one of some objects."""
    asked = tuple(values)  # Python 3.13 counts the arguments of the question
    own = {*own, id(values), id(asked)}
    return any(id(r) not in own and not isinstance(r, types.FrameType) for r in gc.get_referrers(*asked))


def _refused(value: Any, reason: str) -> LeakError:
    return LeakError(
        f"what the function returns, or leaves in an argument, has a {type(value).__name__} that holds "
        "staged values",
        why=f"each call makes new objects, with arrays in the place of staged values, but this one {reason}",
        remedy=_REMEDY,
    )


def _is_plain(kind: Any) -> bool:
    """Whether the instances of a class hold nothing but attributes."""
    make: Callable[[Any], Any] = object.__new__
    try:
        make(kind)
    except TypeError:
        return False
    return True


def _is_staged(value: Any) -> bool:
    return BACKENDS[type(value)] is not None and not isinstance(value, (Variable, Source))


def _reached(start: Any) -> Iterator[Any]:
    """A value and all that it holds."""
    seen: set[int] = set()
    stack = [start]
    while stack:
        item = stack.pop()
        if id(item) in seen or isinstance(item, _CLOSED):
            continue
        seen.add(id(item))
        yield item
        if BACKENDS[type(item)] is None:
            stack.extend(gc.get_referents(item))
