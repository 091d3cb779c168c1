"""Watch the code that runs while a loop is being rolled, so that no effect of its body is lost or repeated.

The body is captured a few times in an attempt, and once in the rolled loop, instead of once for each item.
So what it changes has to be either carried by the loop or absent. `Surroundings` holds the other state that
its code may reach: a change of it ends the attempt, and is undone. Code that was not found beforehand, such
as a special method of an object that only a library knows, ends the attempt before it runs, unless it neither
stores anything nor calls anything.
"""

from __future__ import annotations

import contextlib
import contextvars
import dis
import gc
import io
import sys
import types
from collections.abc import Callable, Iterator
from typing import Any

from ...core.packages import installed_package, is_library
from ...core.rolling_attempts import CannotRoll
from ...debugging.tracebacks import is_internal
from ...values.locations import is_library_module
from ..state.side_effects import DRAWERS, is_known_effect
from ..state.statement import Statement
from .surroundings import Surroundings, file_of

_IGNORED, _USER, _REFUSED = range(3)
_STATELESS = (
    type(None), int, float, complex, str, bytes, tuple, frozenset, range, slice, type, types.ModuleType,
    types.FunctionType, types.MethodType, types.CodeType, types.MappingProxyType,
)  # fmt: skip
_HARMLESS_OWNERS = frozenset({*_STATELESS, list, dict, set, bytearray}) - {types.ModuleType, type}
_HARMLESS = (
    "LOAD_", "BINARY_", "UNARY_", "COMPARE_", "BUILD_", "RETURN_", "POP_", "JUMP_", "IS_OP", "CONTAINS_",
)  # fmt: skip
_HARMLESS_NAMES = {
    "RESUME", "CACHE", "COPY", "SWAP", "PUSH_NULL", "PRECALL", "NOP", "STORE_FAST", "COPY_FREE_VARS",
    "MAKE_CELL", "EXTENDED_ARG", "FORMAT_VALUE", "FORMAT_SIMPLE", "NOT_TAKEN", "TO_BOOL",
    "STORE_FAST_LOAD_FAST", "STORE_FAST_STORE_FAST",
}  # fmt: skip
_EFFECTS_ANYWHERE = ("putenv", "unsetenv")


class RollingGuard:
    """The plain state around an attempt to roll a statement, and the checks of the code that it runs."""

    def __init__(self, statement: Statement):
        own = [*statement.closures, statement.get_state, statement.set_state]
        self._surroundings = Surroundings([*own, *statement.before], own=own)
        self._known: dict[int, tuple[int, types.CodeType]] = {}
        """The kinds of code, by id, with the code, which keeps the id unique."""
        self._system_files = {file_of(type(statement.backend)), *getattr(statement.backend, "files", ())}
        self._system_codes = getattr(statement.backend, "codes", ())
        self._previous: Any = None
        self.has_refused = self._surroundings.is_open or self._surroundings.has_iterators

    def check(self) -> None:
        """End the attempt if the body has changed state that the loop does not carry."""
        if self.has_refused or self._surroundings.has_changed():
            raise CannotRoll

    def restore(self) -> None:
        self._surroundings.restore()

    @contextlib.contextmanager
    def watching(self) -> Iterator[None]:
        """Check the functions that this thread calls.

        The garbage collector waits: it would call finalizers of objects that the body has nothing to do with.
        """
        self._previous = sys.getprofile()
        if not isinstance(self._previous, (type(None), types.FunctionType, types.MethodType)):
            raise CannotRoll  # a profiler that is written in C cannot be called from here
        self.check()
        collects_garbage = gc.isenabled()
        gc.disable()
        sys.setprofile(self._make_profile_function())
        try:
            yield
        finally:
            sys.setprofile(self._previous)
            if collects_garbage:
                gc.enable()

    def _make_profile_function(self) -> Callable[[types.FrameType, str, Any], None]:
        """Return a function for `sys.setprofile`. Python calls it often, so the usual cases come first."""
        known, previous, harmless = self._known.get, self._previous, _HARMLESS_OWNERS

        def on_event(frame: types.FrameType, event: str, argument: Any) -> None:
            if previous is not None:
                previous(frame, event, argument)
            if event == "call":
                kind = known(id(frame.f_code))
                if (kind is None or kind[0] == _REFUSED) and self._kind_of(frame) == _REFUSED:
                    self._refuse()
            elif event == "c_call":
                owner = type(getattr(argument, "__self__", None))
                if owner not in harmless and self._has_effect(frame, argument):
                    self._refuse()

        return on_event

    def _refuse(self) -> None:
        self.has_refused = True
        raise CannotRoll

    def _kind_of(self, frame: types.FrameType) -> int:
        code = frame.f_code
        known = self._known.get(id(code))
        if known is None:
            known = self._known[id(code)] = self._classified(frame), code
        return known[0]

    def _classified(self, frame: types.FrameType) -> int:
        code, scope = frame.f_code, frame.f_globals
        if is_internal(code) or _is_of_library(code.co_filename) or code.co_filename in self._system_files:
            return _IGNORED
        if code in self._system_codes:
            return _IGNORED
        if code.co_filename.startswith("<"):
            # Libraries generate code, such as the methods of their dataclasses.
            module, is_converted = str(scope.get("__name__", "")), "ag__" in code.co_freevars
            is_generated = not module or module.startswith("namedtuple_") or is_library_module(module)
            if not is_converted and (is_generated or _is_of_library(scope.get("__file__") or "<none>")):
                return _IGNORED
        if self._surroundings.has_visited(code) or _is_harmless(code):
            return _USER
        return _REFUSED

    def _has_effect(self, frame: types.FrameType, function: Any) -> bool:
        """Return whether a function written in C may change state that was not saved."""
        owner = getattr(function, "__self__", None)
        if isinstance(owner, DRAWERS):
            return self._is_called_by_user(frame)
        if isinstance(owner, _STATELESS):
            name = getattr(function, "__name__", "")
            if name in _EFFECTS_ANYWHERE:
                return True
            return is_known_effect(function) and self._kind_of(frame) == _USER
        is_change = isinstance(owner, io.IOBase) or (
            isinstance(owner, contextvars.ContextVar) and function.__name__ != "get"
        )
        return is_change and self._kind_of(frame) == _USER

    def _is_called_by_user(self, frame: types.FrameType | None) -> bool:
        """Return whether a frame runs user code, or a library's code that user code has called."""
        while frame is not None and not is_internal(frame.f_code):
            if self._kind_of(frame) == _USER:
                return True
            frame = frame.f_back
        return False


def _is_of_library(file: str) -> bool:
    return is_library(file) or installed_package(file) is not None


def _is_harmless(code: types.CodeType) -> bool:
    """Return whether code only reads variables and attributes, and computes."""
    names = {i.opname for i in dis.get_instructions(code)}
    return all(n in _HARMLESS_NAMES or n.startswith(_HARMLESS) for n in names)
