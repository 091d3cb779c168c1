"""Exceptions that user code raises in a branch which is being captured: they are raised when it runs."""

from __future__ import annotations

import dis
from typing import Any

from ..errors import AutographError
from ..tracebacks import is_ours


def is_own_raise(error: BaseException) -> bool:
    """Whether user code raised the exception itself, with `raise` or `assert`."""
    if isinstance(error, AutographError):
        return False
    place = error.__traceback__
    while place is not None and place.tb_next is not None:
        place = place.tb_next
    if place is None:
        return False
    code = place.tb_frame.f_code
    if is_ours(code):
        return isinstance(error, AssertionError) and code.co_name in ("assert_stmt", "fail")
    return code.co_code[place.tb_lasti] == _RAISE


_RAISE = dis.opmap["RAISE_VARARGS"]


def revived(kind: type[BaseException], args: tuple, fields: dict[str, Any]) -> BaseException:
    """An exception as it was when it was raised, without its class's own `__init__`."""
    made = kind.__new__(kind, *args)
    made.args = args
    vars(made).update(fields)
    return made
