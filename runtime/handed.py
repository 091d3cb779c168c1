"""The staged values that a frame works on, asked for when an error is looked at and not before."""

from __future__ import annotations

import dis
import types
from collections.abc import Iterator
from typing import Any

from .active import ACTIVE

_VARIABLES = ("LOAD_FAST", "LOAD_DEREF", "LOAD_GLOBAL", "LOAD_NAME", "STORE_FAST_LOAD_FAST")
_CALLS = ("CACHE", "CALL")  # a call that runs is in its cache
_ATTRIBUTES = ("LOAD_ATTR", "LOAD_METHOD")
_DEPTH = 3
"""How deep a container is searched."""


def owner(value: Any) -> Any:
    """The backend that stages a value now, or None."""
    return next((b for b in reversed(ACTIVE) if b.owns(type(value)) and b.is_staged(value)), None)


def staged_in(value: Any, depth: int = _DEPTH) -> Any:
    """A value that is staged, or the first that a container holds; None where there is none."""
    if owner(value) is not None:
        return value
    parts: Any = value.values() if type(value) is dict else value if type(value) in (list, tuple) else ()
    found = (staged_in(part, depth - 1) for part in parts if depth)
    return next((part for part in found if part is not None), None)


def has_staged(frame: types.FrameType) -> bool:
    """Whether a variable of a frame is staged, or holds what is."""
    return any(staged_in(value) is not None for value in frame.f_locals.values())


def rows(frame: types.FrameType, instruction: int) -> list[str]:
    """The staged values that an instruction of a frame works on, a line for each."""
    is_call = dis.opname[frame.f_code.co_code[instruction]].startswith(_CALLS)
    found: dict[str, str] = {}
    for name, value in read_at(frame, instruction):
        staged = staged_in(value) if is_call else value if owner(value) is not None else None
        if staged is not None:
            found[name] = f"{name} {'is' if staged is value else 'holds'} {described(staged)}"
    return list(found.values())


def described(staged: Any) -> str:
    """A staged value by its type."""
    kind = owner(staged).type_of(staged)
    return "a staged value" if kind is None else f"a staged value of type {kind}"


def read_at(frame: types.FrameType, instruction: int) -> list[tuple[str, Any]]:
    """The variables, and the attributes of variables, of which an instruction works on the values."""
    listed = list(dis.get_instructions(frame.f_code))
    here = [i for i in listed if i.offset <= instruction][-1]  # of a call that runs, it is in its cache
    span = _span(here)
    return [] if span is None else [*_read(frame, [i for i in listed if _is_in(_span(i), span)])]


def _span(instruction: dis.Instruction) -> tuple[Any, Any] | None:
    at = instruction.positions
    if at is None or None in at:
        return None
    return (at.lineno, at.col_offset), (at.end_lineno, at.end_col_offset)


def _is_in(inner: tuple[Any, Any] | None, outer: tuple[Any, Any]) -> bool:
    return inner is not None and outer[0] <= inner[0] and inner[1] <= outer[1]


def _read(frame: types.FrameType, listed: list[dis.Instruction]) -> Iterator[tuple[str, Any]]:
    """The variables, and the attributes of variables, that instructions read, with their values."""
    read: tuple[str, Any] | None = None
    for instruction in listed:
        names = instruction.argval if isinstance(instruction.argval, tuple) else (instruction.argval,)
        if instruction.opname.startswith(_VARIABLES):
            for name in names:
                if name.startswith("ag__"):
                    continue
                read = name, frame.f_locals.get(name, frame.f_globals.get(name))
                yield read
        elif instruction.opname in _ATTRIBUTES and read is not None and owner(read[1]) is None:
            read = f"{read[0]}.{names[0]}", getattr(read[1], "__dict__", {}).get(names[0])
            yield read
        else:
            read = None
