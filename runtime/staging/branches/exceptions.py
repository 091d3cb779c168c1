"""Exceptions that user code raises during a capture, and that the program therefore raises when it runs."""

from __future__ import annotations

import dis
import sys
import types
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from typing import Any, NoReturn

from ...backends import staged_by
from ...core.forks import is_forked
from ...core.in_flight import running
from ...debugging.call_sites import enclosing_try
from ...debugging.error_operands import has_staged_variable, operand_rows
from ...debugging.positions import has_handler, position_at
from ...debugging.tracebacks import (
    INFERRING,
    RAISING_FUNCTIONS,
    is_at_raise,
    is_internal,
    is_user_frame,
    set_error_attribute,
    strip_internal_frames,
    synthetic_traceback,
    traceback_entries,
    traceback_frames,
    user_position,
)
from ...errors import AutographError, RaiseInTryError, UnsupportedPlaceError
from ...values.structures import flatten, unflatten
from ..state.search import user_frames


class AlwaysRaises(BaseException):
    """End a trace at a point that no path reaches, because every path has raised.

    `in_flight` is whether a `try` of the traced code may catch one of the exceptions.
    """

    def __init__(self, *, in_flight: bool = False):
        self.in_flight = in_flight


def is_own_raise(error: BaseException, but: Collection[str] = ()) -> bool:
    """Return whether an exception is part of the program, so that the program raises it when it runs.

    It is part of the program if it was raised by user code, by an operation of user code on plain values, by
    one that fails for all staged values of these shapes, by a library that worked on plain values, or by
    reading a missing item of a staged list. Exceptions raised by the packages in `but` concern only the
    trace. So do those of a library that received a staged value, because plain Python would have passed it
    another value.
    """
    place: types.TracebackType | None = None
    foreign: list[types.FrameType] = []
    for place in traceback_entries(error.__traceback__):
        foreign = [] if is_user_frame(place.tb_frame) else [*foreign, place.tb_frame]
    if place is None:
        return False
    code = place.tb_frame.f_code
    if code is raise_in_program.__code__:
        return True
    if isinstance(error, AutographError):
        return False
    if (isinstance(error, _OF_UNLIKE_VALUES) and is_forked()) or _is_of_iteration(error):
        return True
    if any(frame.f_code in INFERRING for frame in foreign):
        return isinstance(error, _OF_OPERATIONS)
    if is_internal(code):
        kinds = AssertionError, LookupError, ArithmeticError, ValueError
        return isinstance(error, kinds) and code.co_name in RAISING_FUNCTIONS
    package = str(place.tb_frame.f_globals.get("__name__", "")).partition(".")[0]
    is_of_operation = isinstance(error, _OF_OPERATIONS) or (
        not foreign and (_is_unbound(error) or _is_about_none(error))
    )
    is_raised = is_at_raise(place) or is_of_operation
    return is_raised and package not in but and not any(map(has_staged_variable, foreign))


_OF_UNLIKE_VALUES = TypeError, AttributeError, LookupError, ValueError
"""What raises where a path is captured with a value of another type than it ever has there."""
_OF_OPERATIONS = LookupError, ArithmeticError, ValueError
"""What operations on plain values raise. A TypeError may be about the staged value itself."""


def is_of_plain_values(error: BaseException) -> bool:
    """Return whether user code raised an error itself, by an operation that had no staged operand."""
    *_, last = traceback_entries(error.__traceback__)
    return is_user_frame(last.tb_frame) and not operand_rows(last.tb_frame, last.tb_lasti)


def _is_unbound(error: BaseException) -> bool:
    """Return whether a variable was read that the function binds elsewhere, unlike an undefined name."""
    return isinstance(error, NameError) and str(error).startswith("cannot access ")


def _is_about_none(error: BaseException) -> bool:
    """Return whether None was used, as plain Python would have used it."""
    return isinstance(error, (TypeError, AttributeError)) and "NoneType" in str(error)


def _is_of_iteration(error: BaseException) -> bool:
    """Return whether a plain dict, set or deque changed while a loop went over it."""
    return type(error) is RuntimeError and str(error).endswith(" during iteration")


def raise_in_program(error: BaseException) -> NoReturn:
    """Raise an error that the program raises when it runs, on behalf of user code."""
    raise error


def refuse_caught(error: BaseException, places: Iterable[tuple[types.CodeType, int]] | None = None) -> None:
    """Raise if the traced code would catch an exception that the program raises at run time.

    `places` are pairs of a code object and an instruction offset, by default those of the running converted
    functions.
    """
    if places is None:
        places = [(frame.f_code, frame.f_lasti) for frame in user_frames(converted=True)]
        if running.flight is not None:
            running.flight.refuse(error)
    for code, instruction in places:
        if has_handler(code, instruction):
            raised = user_position(error)
            strip_internal_frames(error)
            tried = enclosing_try(position_at(code, instruction))
            raise RaiseInTryError(
                f"{type(error).__name__} is raised under a staged condition inside a 'try' with an 'except'",
                why=f"the graph raises when it runs, and by then the 'try' on line {tried.line} has ended",
                remedy="test the condition instead of catching the exception",
                sites=[("the 'try'", tried)],
                place=raised or ...,
            ) from error


def refuse_end(raised: BaseException | None, code: types.CodeType | None) -> None:
    """Raise if a staged branch ends an iteration, because Python would go on to ask for items without end.

    `raised` is the exception that the branch raises, and `code` that of the function with the branch.
    """
    name = "" if raised is None or code is None else code.co_name
    kinds = {"__next__": StopIteration, "__getitem__": IndexError}
    if not isinstance(raised, kinds.get(name, ())) or not _is_iterated(name):
        return
    why = "Python asks for the items while it traces, and the end is known only when the graph runs"
    raise iteration_error(raised, name, why, "use a 'for' loop, next() or list() in converted code")


def iteration_error(raised: Any, method: str, why: str, remedy: str) -> UnsupportedPlaceError:
    """Return the error for an iteration that an exception would end under a staged condition."""
    strip_internal_frames(raised)
    error = UnsupportedPlaceError(
        f"a staged condition decides whether {method!r} raises {type(raised).__name__}, "
        "which ends an iteration",
        why=why,
        remedy=remedy,
    )
    error.__cause__ = raised
    return error


def _is_iterated(name: str) -> bool:
    """Return whether Python itself, and not `x[i]` or `next(x)`, called the special method that runs."""
    frame: types.FrameType | None = sys._getframe(1)
    while frame is not None and not (frame.f_code.co_name == FORWARDING and is_internal(frame.f_code)):
        frame = frame.f_back
    if frame is None or frame.f_back is None or frame.f_locals["method"].__name__ != name:
        return False
    code, offset = frame.f_back.f_code, frame.f_back.f_lasti
    return not dis.opname[code.co_code[offset]].startswith("BINARY_")


FORWARDING = "forward"
"""The name of the functions that stand for special methods of user classes during a trace."""


@dataclass(frozen=True)
class Revived:
    """A factory that recreates an exception as it was when raised, without calling its `__init__`.

    The exception's cause and context are not part of a graph's meaning, and are not saved with the graph.
    """

    cause: BaseException | None = field(default=None, compare=False)
    context: BaseException | None = field(default=None, compare=False)
    hides_context: bool = field(default=False, compare=False)

    __name__ = "revived"

    def __call__(self, kind: type[BaseException], args: tuple, fields: dict[str, Any]) -> BaseException:
        made = _new(kind, args)
        set_error_attribute(made, "args", args)
        for name, value in fields.items():
            if isinstance(getattr(kind, name, None), types.MemberDescriptorType):
                set_error_attribute(made, name, value)
            else:
                vars(made)[name] = value
        cause = _again(self.cause)
        context = cause if self.context is self.cause else _again(self.context)
        set_error_attribute(made, "__cause__", cause)
        set_error_attribute(made, "__context__", context)
        set_error_attribute(made, "__suppress_context__", self.hides_context)
        return made


revived = Revived()


def _new(kind: type[BaseException], args: tuple) -> BaseException:
    builtin = next(c for c in kind.__mro__ if c.__module__ == "builtins")
    return builtin.__new__(kind, *args)


def fields_of(error: BaseException) -> dict[str, Any]:
    """Return the attributes of an exception: its dict, slots, and builtin fields not set by arguments.

    The `obj` of an `AttributeError` is left out, because it may keep a whole trace alive.
    """
    found, bare = dict(vars(error)), _new(type(error), error.args)
    for kind in type(error).__mro__:
        for name, member in vars(kind).items():
            is_set = isinstance(member, types.MemberDescriptorType) and name != "obj"
            if is_set and kind not in (BaseException, BaseExceptionGroup) and hasattr(error, name):
                value = getattr(error, name)
                if value is not getattr(bare, name, found):
                    found[name] = value
    return found


def _again(error: BaseException | None) -> BaseException | None:
    """Copy an exception that a graph stores, because the handlers of one run may change it."""
    if error is None:
        return None
    fields = {n: [*v] if n == "__notes__" else v for n, v in fields_of(error).items()}
    revive = Revived(error.__cause__, error.__context__, error.__suppress_context__)
    made = revive(type(error), error.args, fields)
    set_error_attribute(made, "__traceback__", error.__traceback__)
    return made


def reviving(error: BaseException, among: tuple[BaseException, ...] = ()) -> Revived:
    """Return a factory for an exception of the traced code, with copies of its cause and context.

    `among` contains the exceptions that have this one as their cause or context, to break cycles.
    """
    among = (*among, error)
    context = error.__context__ if _is_handled_in(error, error.__context__) else None
    chained = [None if any(e is a for a in (None, *among)) else e for e in (error.__cause__, context)]
    cause, context = (None if e is None else _copy_contents(e, among) for e in chained)
    if error.__context__ is error.__cause__:
        context = context and cause
    return Revived(cause, context, error.__suppress_context__)


def _is_handled_in(error: BaseException, context: BaseException | None) -> bool:
    """Return whether the traced code, not the caller of the trace, was handling `context`."""
    if context is None or context.__traceback__ is None:
        return False
    home = context.__traceback__.tb_frame
    return any(entry.tb_frame is home for entry in traceback_entries(error.__traceback__))


def _copy_contents(error: BaseException, among: tuple[BaseException, ...]) -> BaseException:
    """Copy an exception without references to its trace, with text in place of staged values."""
    leaves, spec = flatten((error.args, fields_of(error)))
    args, fields = unflatten(spec, [v if staged_by(v) is None else repr(v) for v in leaves])
    made = reviving(error, among)(type(error), args, fields)
    positions = [position_at(*frame) for frame in traceback_frames(error)]
    set_error_attribute(made, "__traceback__", synthetic_traceback(made, positions))
    return made
