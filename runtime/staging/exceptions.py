"""Exceptions that user code raises in a branch which is being captured: they are raised when it runs."""

from __future__ import annotations

import types
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from typing import Any

from ..backends import staged_by
from ..errors import AutographError, RaiseInTryError
from ..handed import has_staged
from ..places import at
from ..sites import try_around
from ..structures import flatten, unflatten
from ..tracebacks import (
    RAISING,
    at_user_frames,
    catches,
    frames_of,
    is_ours,
    is_raise,
    is_users,
    put,
    strip,
    user_place,
)
from .aliases import user_frames


def is_own_raise(error: BaseException, but: Collection[str] = ()) -> bool:
    """Whether the program raises the exception: user code, a library of plain values, or an item of a staged
    list that has none.

    The packages `but` raise what they have to say of a trace: that is no part of the program. Neither is what
    a library says of a staged value that it was handed, and cannot take: in plain Python it gets another.
    """
    if isinstance(error, AutographError):
        return False
    place = error.__traceback__
    foreign: list[types.FrameType] = []
    while place is not None:
        foreign = [] if is_users(place.tb_frame) else [*foreign, place.tb_frame]
        if place.tb_next is None:
            break
        place = place.tb_next
    if place is None:
        return False
    code = place.tb_frame.f_code
    if is_ours(code):
        return isinstance(error, (AssertionError, IndexError)) and code.co_name in RAISING
    package = str(place.tb_frame.f_globals.get("__name__", "")).partition(".")[0]
    return is_raise(place) and package not in but and not any(map(has_staged, foreign))


def refuse_caught(error: BaseException, places: Iterable[tuple[types.CodeType, int]] | None = None) -> None:
    """Refuse to raise at run time what the traced code would catch: the user's code, and where it is.

    `places` are by default those of the converted functions that run.

    Raises:
        RaiseInTryError: an `except` of the traced code would have to catch it when the program runs.
    """
    if places is None:
        places = [(frame.f_code, frame.f_lasti) for frame in user_frames(converted=True)]
    for code, instruction in places:
        if catches(code, instruction):
            raised = user_place(error)
            strip(error)
            tried = try_around(at(code, instruction))
            raise RaiseInTryError(
                f"{type(error).__name__} is raised under a staged condition inside a 'try' with an 'except'",
                why=f"the 'try' of line {tried.line} has an 'except', and has ended when the program raises",
                remedy="test the condition instead of catching the exception",
                sites=[("the 'try'", tried)],
                place=raised or ...,
            ) from error


@dataclass(frozen=True)
class Revived:
    """Makes an exception as it was when it was raised, without its class's own `__init__`.

    What it was raised from, or while handling, is not part of a graph's meaning, nor of its file.
    """

    cause: BaseException | None = field(default=None, compare=False)
    context: BaseException | None = field(default=None, compare=False)
    hides_context: bool = field(default=False, compare=False)

    __name__ = "revived"

    def __call__(self, kind: type[BaseException], args: tuple, fields: dict[str, Any]) -> BaseException:
        made = _new(kind, args)
        put(made, "args", args)
        for name, value in fields.items():
            if isinstance(getattr(kind, name, None), types.MemberDescriptorType):
                put(made, name, value)
            else:
                vars(made)[name] = value
        cause = _again(self.cause)
        put(made, "__cause__", cause)
        put(made, "__context__", cause if self.context is self.cause else _again(self.context))
        put(made, "__suppress_context__", self.hides_context)
        return made


revived = Revived()


def _new(kind: type[BaseException], args: tuple) -> BaseException:
    builtin = next(c for c in kind.__mro__ if c.__module__ == "builtins")
    return builtin.__new__(kind, *args)


def fields_of(error: BaseException) -> dict[str, Any]:
    """The attributes of an exception: its dict, slots, and those of a builtin class that come of no argument.

    The object of an `AttributeError` is left: it may lead to a whole trace.
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
    """An exception that a graph keeps, for one run: what handles it may raise it or add notes to it."""
    if error is None:
        return None
    fields = {n: [*v] if n == "__notes__" else v for n, v in fields_of(error).items()}
    revive = Revived(error.__cause__, error.__context__, error.__suppress_context__)
    made = revive(type(error), error.args, fields)
    put(made, "__traceback__", error.__traceback__)
    return made


def reviving(error: BaseException, among: tuple[BaseException, ...] = ()) -> Revived:
    """How to make an exception of the traced code again, with copies of those that it was raised from.

    `among` are those that it is itself a cause or context of.
    """
    among = (*among, error)
    context = error.__context__ if _is_handled_in(error, error.__context__) else None
    chained = [None if any(e is a for a in (None, *among)) else e for e in (error.__cause__, context)]
    cause, context = (None if e is None else _copied(e, among) for e in chained)
    if error.__context__ is error.__cause__:
        context = context and cause
    return Revived(cause, context, error.__suppress_context__)


def _is_handled_in(error: BaseException, context: BaseException | None) -> bool:
    """Whether the traced code was handling a context, and not who called the trace."""
    if context is None or context.__traceback__ is None:
        return False
    home, place = context.__traceback__.tb_frame, error.__traceback__
    while place is not None and place.tb_frame is not home:
        place = place.tb_next
    return place is not None


def _copied(error: BaseException, among: tuple[BaseException, ...]) -> BaseException:
    """An exception that keeps nothing of its trace alive, with text in the place of staged values."""
    leaves, spec = flatten((error.args, fields_of(error)))
    args, fields = unflatten(spec, [v if staged_by(v) is None else repr(v) for v in leaves])
    made = reviving(error, among)(type(error), args, fields)
    put(made, "__traceback__", at_user_frames(made, [at(*frame) for frame in frames_of(error)]))
    return made
