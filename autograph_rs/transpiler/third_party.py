"""Calls of functions of installed packages: converted only if a staged value reaches them."""

from __future__ import annotations

import functools
import threading
import types
from collections.abc import Callable
from typing import Any

from autograph_rs.converters.expressions.calls import STACK_READERS
from autograph_rs.runtime.backends.registry import staged_by
from autograph_rs.runtime.core.active_backends import ACTIVE, active_backend
from autograph_rs.runtime.core.packages import installed_package, module_file
from autograph_rs.runtime.debugging.tracebacks import drop_current_frame, register_unconverted_note
from autograph_rs.runtime.errors import ConversionError
from autograph_rs.runtime.operators.calls import CacheEntry
from autograph_rs.runtime.values.reachability import reaches


class ThirdPartyEntry:
    """The cache entry of a code object of an installed package that the user did not ask to convert.

    `bind` returns a function unchanged unless a backend is staging or there are `kinds`, classes of staged
    values. Then it returns a function that searches the arguments of each call for staged values, and runs
    converted code if it finds one. Code that cannot be converted runs unconverted.
    """

    shared = None
    globals = None

    def __init__(self, convert: Callable[[types.FunctionType], CacheEntry], kinds: tuple[type, ...] = ()):
        self._convert, self.kinds = convert, kinds
        self._converted: CacheEntry | None = None
        self._has_failed = False

    def bind(self, function: types.FunctionType) -> Callable[..., Any]:
        if self._has_failed or (not self.kinds and (not ACTIVE or active_backend() is None)):
            return function
        if not STACK_READERS.isdisjoint(function.__code__.co_names):
            return self.converted(function)  # whose callers see no frame of `_call`
        return functools.partial(_call, self, function)

    def converted(self, function: types.FunctionType) -> Callable[..., Any]:
        """Return the converted function, or the function itself if it cannot be converted."""
        with _converting:
            return self._converted_once(function)

    def _converted_once(self, function: types.FunctionType) -> Callable[..., Any]:
        if self._converted is None and not self._has_failed:
            try:
                self._converted = self._convert(function)
            except ConversionError as error:
                self._has_failed = True
                package = installed_package(module_file(function))
                reason = f"{error.args[0]}; {error.remedy}"
                register_unconverted_note(
                    function.__code__,
                    f"{function.__qualname__!r} of the installed package {package!r} was called unconverted: "
                    f"{reason}",
                )
        return function if self._converted is None else self._converted.bind(function)


_converting = threading.RLock()


def _call(
    ag__entry: ThirdPartyEntry, ag__function: types.FunctionType, /, *ag__args: Any, **ag__kwargs: Any
) -> Any:
    """Call a function, converted if a staged value reaches it.

    A function that reads its caller's variables sees those of this frame, none of which a user's name can be.
    """
    try:
        kinds = ag__entry.kinds
        if reaches(
            (ag__args, ag__kwargs, ag__function), lambda v: isinstance(v, kinds) or staged_by(v) is not None
        ):
            return ag__entry.converted(ag__function)(*ag__args, **ag__kwargs)
        return ag__function(*ag__args, **ag__kwargs)
    except BaseException as error:
        drop_current_frame(error)
        raise
