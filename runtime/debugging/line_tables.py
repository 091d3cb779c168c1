"""Line tables of code objects: encoding, and the positions that debuggers see in generated closures.

A *position* is what `co_positions` yields for each code unit: line, end line, column, end column. A unit
without a line triggers no trace event.

Closures of the converters are parts of a user function, so a debugger steps through them as it would step
through that function: a loop returns to its header after its body. Closures without user code, which only
carry values between the function and an operator, are internal code in an internal file.
"""

from __future__ import annotations

import dis
import itertools
import types
from collections.abc import Iterable
from typing import Any

from ..core.closures import INTERNAL_FILE, base_name

Position = tuple[int | None, int | None, int | None, int | None]

NO_POSITION: Position = (None, None, None, None)
_LINE_ONLY = bytes(range(0xE8, 0xF0))  # first bytes of entries that have a line but no columns
_STORES = frozenset(dis.opmap[name] for name in ("STORE_DEREF", "STORE_GLOBAL"))
_RETURNS = frozenset(dis.opmap[name] for name in ("RETURN_VALUE", "RETURN_CONST") if name in dis.opmap)
_RESUME, _LOAD_CONST, _LOAD_FAST = (dis.opmap[name] for name in ("RESUME", "LOAD_CONST", "LOAD_FAST"))


def encode_positions(positions: Iterable[Any], first: int) -> bytes:
    """Encode the positions of all code units as a `co_linetable` (see CPython's Objects/locations.md)."""
    encoded, last = bytearray(), first
    for (line, end, column, end_column), units in itertools.groupby(positions):
        count = len(list(units))
        while count:
            length = min(count, 8)
            count -= length
            if line is None:
                encoded.append(0x80 | 15 << 3 | length - 1)
                continue
            columns = () if None in (end, column, end_column) else (end - line, column + 1, end_column + 1)
            encoded.append(0x80 | (14 if columns else 13) << 3 | length - 1)
            delta, last = line - last, line
            for number in (-delta << 1 | 1 if delta < 0 else delta << 1, *columns):
                while number > 63:
                    encoded.append(number & 63 | 64)
                    number >>= 6
                encoded.append(number)
    return bytes(encoded)


def hide_operator_steps(code: types.CodeType) -> bytes:
    """Return a line table without the inlined operators, so that debuggers do not stop there.

    The instructions of inlined operators are those without columns.
    """
    if len(code.co_linetable.translate(None, _LINE_ONLY)) == len(code.co_linetable):
        return code.co_linetable
    positions: list[Any] = list(code.co_positions())
    start = code.co_code[::2].index(_RESUME) + 1
    body = positions[start:]
    columns = [position[2] for position in body]
    if None not in columns or all(column is None for column in columns):  # run with -X no_debug_ranges
        return code.co_linetable
    visible = (NO_POSITION if position[2] is None else position for position in body)
    return encode_positions([*positions[:start], *visible], code.co_firstlineno)


def closure_positions(code: types.CodeType, positions: list[Position]) -> tuple[list[Position], int]:
    """Return the positions that debuggers see in a closure with user code, and its first line.

    The closure starts at its first line with code, so that profilers distinguish the closures of a function.
    In the body of a `for`, storing the item has no line, and the return is at the loop's header.
    `positions` come from the closure's line table or from a source map.
    """
    units = code.co_code[::2]
    start = units.index(_RESUME) + 1
    body = positions[start:]
    if base_name(code.co_name) == "loop_body" and _stores_parameter(code.co_code[2 * start :]):
        header = body[0]
        body[:2] = NO_POSITION, NO_POSITION
        for index, unit in enumerate(units[start:]):
            is_implicit = units[start + index - 1] == _LOAD_CONST or body[index] == body[index - 1]
            if unit in _RETURNS and is_implicit:  # otherwise it stands for a `pass`
                body[index] = header
    first = next((line for line, *_ in body if line is not None), code.co_firstlineno)
    return [(first, first, None, None)] * start + body, first


def is_accessor(code: types.CodeType) -> bool:
    return base_name(code.co_name) in ("get_state", "set_state")


def has_no_user_code(code: types.CodeType) -> bool:
    """Return whether a closure only gets or sets state, or tests flags that the converters added.

    A test of flags has a single position with columns; a user's test has several.
    """
    if base_name(code.co_name) != "loop_test":
        return is_accessor(code)
    body = [*code.co_positions()][code.co_code[::2].index(_RESUME) + 1 :]
    return body[0][2] is not None and len(set(body)) == 1


def as_internal_code(
    code: types.CodeType, file: str, name: str, qualname: str, consts: Iterable[object]
) -> types.CodeType:
    """Return a closure without user code, or a lambda in one, as code on line 1 of an internal file."""
    positions = [(1, 1, None, None)] * (len(code.co_code) // 2)
    return code.replace(
        co_filename=INTERNAL_FILE, co_name=name, co_qualname=qualname, co_consts=(*consts, file),
        co_linetable=encode_positions(positions, code.co_firstlineno),
    )  # fmt: skip


def _stores_parameter(code: bytes) -> bool:
    return code[0] == _LOAD_FAST and code[1] == 0 and code[2] in _STORES
