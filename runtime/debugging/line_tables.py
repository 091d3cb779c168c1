"""Where code says that it stands: positions, and CPython's table of them.

A *position* is what `co_positions` gives for each code unit: line, last line, column, last column. Where it
has no line, no trace function is told of the unit.

Closures that the converter made are parts of a user's function. What a debugger is told of them is what it
would be told of that function: a loop comes back to its header after its body. Those that only carry values
between the function and an operator are ours, and stand in a file of ours.
"""

from __future__ import annotations

import dis
import itertools
import types
from collections.abc import Iterable
from typing import Any

from .closures import FILE, stem

Position = tuple[int | None, int | None, int | None, int | None]

NOWHERE: Position = (None, None, None, None)
_WITHOUT_COLUMNS = bytes(range(0xE8, 0xF0))  # how an entry of the table begins that has only a line
_STORES = frozenset(dis.opmap[name] for name in ("STORE_DEREF", "STORE_GLOBAL"))
_RETURNS = frozenset(dis.opmap[name] for name in ("RETURN_VALUE", "RETURN_CONST") if name in dis.opmap)
_RESUME, _LOAD_CONST, _LOAD_FAST = (dis.opmap[name] for name in ("RESUME", "LOAD_CONST", "LOAD_FAST"))


def table(positions: Iterable[Any], first: int) -> bytes:
    """The table of the positions of each code unit (Objects/locations.md describes it).

    Args:
        positions: the positions.
        first: the `co_firstlineno` of the code.
    """
    made, last = bytearray(), first
    for (line, end, column, end_column), units in itertools.groupby(positions):
        count = len(list(units))
        while count:
            length = min(count, 8)
            count -= length
            if line is None:
                made.append(0x80 | 15 << 3 | length - 1)
                continue
            columns = () if None in (end, column, end_column) else (end - line, column + 1, end_column + 1)
            made.append(0x80 | (14 if columns else 13) << 3 | length - 1)
            delta, last = line - last, line
            for number in (-delta << 1 | 1 if delta < 0 else delta << 1, *columns):
                while number > 63:
                    made.append(number & 63 | 64)
                    number >>= 6
                made.append(number)
    return bytes(made)


def without_hidden(code: types.CodeType) -> bytes:
    """The table of a function in which operators are opened: what has no columns is no step of the user's."""
    if len(code.co_linetable.translate(None, _WITHOUT_COLUMNS)) == len(code.co_linetable):
        return code.co_linetable
    positions: list[Any] = list(code.co_positions())
    start = code.co_code[::2].index(_RESUME) + 1
    own = positions[start:]
    columns = [place[2] for place in own]
    if None not in columns or all(column is None for column in columns):  # there, Python keeps none
        return code.co_linetable
    return table([*positions[:start], *(NOWHERE if p[2] is None else p for p in own)], code.co_firstlineno)


def of_closure(code: types.CodeType, positions: list[Position]) -> tuple[list[Position], int]:
    """The positions of a closure that holds code of the user, and its first line.

    It begins at the first line that it has, so that profilers tell the closures of a function apart. In the
    body of a `for`, the item is taken where the loop's header, or its last body, left off: without a line. At
    the end it is back at the header.

    Args:
        code: the closure, as it was compiled.
        positions: what its own table says, or a source map.
    """
    units = code.co_code[::2]
    start = units.index(_RESUME) + 1
    body = positions[start:]
    if stem(code.co_name) == "loop_body" and _takes_item(code.co_code[2 * start :]):
        header = body[0]
        body[:2] = NOWHERE, NOWHERE
        for place, unit in enumerate(units[start:]):
            follows = units[start + place - 1] == _LOAD_CONST or body[place] == body[place - 1]
            if unit in _RETURNS and follows:  # else it is the line of a `pass`
                body[place] = header
    first = next((line for line, *_ in body if line is not None), code.co_firstlineno)
    return [(first, first, None, None)] * start + body, first


def is_accessor(code: types.CodeType) -> bool:
    """Whether a closure gets or sets state."""
    return stem(code.co_name) in ("get_state", "set_state")


def carries(code: types.CodeType) -> bool:
    """Whether a closure has nothing of the user's: it gets or sets state, or tests flags.

    A test of flags has one position, as the converter gave it; with columns, a user's test has others.
    """
    if stem(code.co_name) != "loop_test":
        return is_accessor(code)
    own = [*code.co_positions()][code.co_code[::2].index(_RESUME) + 1 :]
    return own[0][2] is not None and len(set(own)) == 1


def carrier(
    code: types.CodeType, file: str, name: str, qualname: str, consts: Iterable[object]
) -> types.CodeType:
    """Such a closure, or a lambda in one, as code of ours, all of it on the first line of our file.

    Args:
        code: the closure.
        file: that of the user's function whose values it carries.
        name: the name to show.
        qualname: its qualified name.
        consts: its constants.
    """
    units = len(code.co_code) // 2
    head = table([(1, 1, None, None)] * min(units, 8), code.co_firstlineno)
    full, rest = divmod(max(0, units - 8), 8)
    here = head + b"\xef\x00" * full + (bytes((0xE8 | rest - 1, 0)) if rest else b"")
    return code.replace(
        co_filename=FILE, co_name=name, co_qualname=qualname, co_consts=(*consts, file),
        co_linetable=here,
    )  # fmt: skip


def _takes_item(code: bytes) -> bool:
    """Whether code begins by giving its parameter to a variable."""
    return code[0] == _LOAD_FAST and code[1] == 0 and code[2] in _STORES
