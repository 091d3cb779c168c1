"""The staged operands of an instruction, for error messages."""

from __future__ import annotations

import dis
import sys
import types
from collections.abc import Iterator
from typing import Any

from ..core.active_backends import owning_backend

_VARIABLES = ("LOAD_FAST", "LOAD_DEREF", "LOAD_GLOBAL", "LOAD_NAME", "STORE_FAST_LOAD_FAST")
_CALLS = ("CACHE", "CALL")  # a frame in the middle of a call points at the cache of the call
_ATTRIBUTES = ("LOAD_ATTR", "LOAD_METHOD")
_MAX_DEPTH = 3
"""The depth to which containers are searched."""


def find_staged(value: Any, depth: int = _MAX_DEPTH) -> Any:
    """Return `value` if it is staged, else the first staged value that it contains, else None."""
    if owning_backend(value) is not None:
        return value
    parts: Any = value.values() if type(value) is dict else value if type(value) in (list, tuple) else ()
    staged = (find_staged(part, depth - 1) for part in parts if depth)
    return next((part for part in staged if part is not None), None)


def has_staged_variable(frame: types.FrameType) -> bool:
    return any(find_staged(value) is not None for value in frame.f_locals.values())


def operand_rows(frame: types.FrameType, instruction: int) -> list[str]:
    """Return a line for each staged operand of an instruction."""
    is_call = dis.opname[frame.f_code.co_code[instruction]].startswith(_CALLS)
    rows: dict[str, str] = {}
    for name, value in operands_at(frame, instruction):
        staged = find_staged(value) if is_call else value if owning_backend(value) is not None else None
        if staged is not None:
            rows[name] = f"{name} {'is' if staged is value else 'contains'} {describe_staged(staged)}"
    return list(rows.values())


def remedy_rows(user_entry: types.TracebackType) -> list[str]:
    """Return a line that says how to call a function of Python's library that user code has called."""
    if user_entry.tb_next is None:
        return []
    frame = user_entry.tb_next.tb_frame
    module = str(frame.f_globals.get("__name__"))
    if module.partition(".")[0] not in sys.stdlib_module_names:
        return []
    name = f"{module}.{frame.f_code.co_qualname}".removesuffix(".__new__").removesuffix(".__init__")
    return [f"fix: {name} needs values: call it outside, or through ag.py_function"]


def describe_staged(staged: Any) -> str:
    kind = owning_backend(staged).type_of(staged)
    return "a staged value" if kind is None else f"a staged value of type {kind}"


def operands_at(frame: types.FrameType, instruction: int) -> list[tuple[str, Any]]:
    """Return the variables, and the attributes of variables, that an instruction operates on."""
    instructions = list(dis.get_instructions(frame.f_code))
    current = [i for i in instructions if i.offset <= instruction][-1]
    span = _span(current)
    if span is None:
        return []
    inside = [i for i in instructions if (own := _span(i)) and span[0] <= own[0] and own[1] <= span[1]]
    return [*_loads(frame, inside)]


def _span(instruction: dis.Instruction) -> tuple[Any, Any] | None:
    positions = instruction.positions
    if positions is None or None in positions:
        return None
    return (positions.lineno, positions.col_offset), (positions.end_lineno, positions.end_col_offset)


def _loads(frame: types.FrameType, instructions: list[dis.Instruction]) -> Iterator[tuple[str, Any]]:
    """Yield the variables, and the attributes of variables, that instructions load, with their values."""
    loaded: tuple[str, Any] | None = None
    for instruction in instructions:
        names = instruction.argval if isinstance(instruction.argval, tuple) else (instruction.argval,)
        if instruction.opname.startswith(_VARIABLES):
            for name in names:
                if not name.startswith("ag__"):
                    loaded = name, frame.f_locals.get(name, frame.f_globals.get(name))
                    yield loaded
        elif instruction.opname in _ATTRIBUTES and loaded is not None and owning_backend(loaded[1]) is None:
            loaded = f"{loaded[0]}.{names[0]}", getattr(loaded[1], "__dict__", {}).get(names[0])
            yield loaded
        else:
            loaded = None
