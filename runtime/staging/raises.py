"""Exceptions that user code raises in a branch which is being captured: they are raised when it runs."""

from __future__ import annotations

import dis
import types
from collections.abc import Iterable
from typing import Any

from ..errors import AutographError, StagingError
from ..tracebacks import catches, is_ours
from .aliases import user_frames

_RAISE = dis.opmap["RAISE_VARARGS"]
_RAISING = frozenset(("assert_stmt", "fail", "list_get", "list_pop"))


def is_own_raise(error: BaseException) -> bool:
    """Whether user code raised the exception itself, or took an item of a staged list without any."""
    if isinstance(error, AutographError):
        return False
    place = error.__traceback__
    while place is not None and place.tb_next is not None:
        place = place.tb_next
    if place is None:
        return False
    code = place.tb_frame.f_code
    if is_ours(code):
        return isinstance(error, (AssertionError, IndexError)) and code.co_name in _RAISING
    return code.co_code[place.tb_lasti] == _RAISE


def refuse_caught(error: BaseException, places: Iterable[tuple[types.CodeType, int]] | None = None) -> None:
    """Refuse to raise at run time what the traced code would catch: the user's code, and where it is.

    `places` are by default those of the converted functions that run.

    Raises:
        StagingError: an `except` of the traced code would have to catch it when the program runs.
    """
    if places is None:
        places = [(frame.f_code, frame.f_lasti) for frame in user_frames(converted=True)]
    for code, instruction in places:
        if catches(code, instruction):
            raise StagingError(
                f"{type(error).__name__} is raised under a staged condition inside a 'try' of "
                f"{code.co_name!r} with an 'except': the program runs after the 'try' has ended. Test the "
                "condition instead of catching the exception"
            ) from error


def revived(kind: type[BaseException], args: tuple, fields: dict[str, Any]) -> BaseException:
    """An exception as it was when it was raised, without its class's own `__init__`."""
    made = kind.__new__(kind, *args)
    made.args = args
    vars(made).update(fields)
    return made
