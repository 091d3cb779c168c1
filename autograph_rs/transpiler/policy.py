"""Which functions are converted when converted code calls them.

User code is. Left as they are: the standard library, installed packages, this package, functions under
`do_not_convert`, functions without source; `include` and `exclude` name modules by glob.
"""

from __future__ import annotations

import fnmatch
import inspect
import types
import weakref
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from autograph_rs.runtime.errors import ArgumentError, told
from autograph_rs.runtime.tracebacks import is_library, is_ours

_unconverted: dict[int, weakref.ref[types.CodeType]] = {}


def do_not_convert(f: Any) -> Any:
    """Note that a function is left as it is when converted code calls it."""
    function = getattr(f, "__func__", f)
    code = getattr(function, "__code__", None)
    if code is None:
        raise ArgumentError(
            f"do_not_convert takes a function, not {told(f)}",
            why="it marks the code of one function, which this has not",
            remedy="mark a function or method, or call this inside `with ag.do_not_convert():`",
        )
    key = id(code)
    _unconverted[key] = weakref.ref(code, lambda _: _unconverted.pop(key, None))
    return f


@dataclass(frozen=True)
class Policy:
    """The rules of one transpiler."""

    recursive: bool = True
    include: Sequence[str] = ()
    exclude: Sequence[str] = ()
    rules: Sequence[tuple[Any, bool]] = ()

    def rule(self, function: types.FunctionType) -> bool | None:
        """What the rules say of a function, the nearest first; None when nothing."""
        module = function.__globals__.get("__name__") or ""
        found: dict[int, bool] = {}
        for key, converts in self.rules:
            if isinstance(key, types.ModuleType):
                if f"{module}.".startswith(f"{key.__name__}."):
                    found[2] = converts
            elif isinstance(key, type):
                owners = {(c.__module__, c.__qualname__) for c in key.__mro__ if c is not object}
                if any(m == module and function.__qualname__.startswith(f"{name}.") for m, name in owners):
                    found[1] = converts
            elif key is function or key.__code__ is function.__code__:
                found[0] = converts
        return found[min(found)] if found else None

    def reason_to_leave(self, function: types.FunctionType) -> str | None:
        """Why a called function is left as it is; None when it is converted."""
        converts, reason = self.verdict(function)
        return None if converts else reason

    def verdict(self, function: types.FunctionType) -> tuple[bool, str]:
        """Whether a called function is converted, and by which rule."""
        code = function.__code__
        module = function.__globals__.get("__name__") or ""
        if id(code) in _unconverted:
            return False, "it is marked do_not_convert"
        if "ag__" in code.co_freevars or "ag__" in function.__globals__:
            return False, "it is converted already"
        rule = self.rule(function) if self.rules else None
        if rule is not None:
            return rule, "a rule says so"
        if not self.recursive:
            return False, "conversion is not recursive"
        if any(fnmatch.fnmatch(module, pattern) for pattern in self.exclude):
            return False, f"module {module} is excluded"
        if any(fnmatch.fnmatch(module, pattern) for pattern in self.include):
            return True, f"module {module} is included"
        if is_ours(code):
            return False, "it is part of autograph_rs"
        if is_library(code.co_filename):
            return False, "it is of the standard library or of an installed package"
        return True, "it is user code"


def checked_globs(patterns: Sequence[str]) -> tuple[str, ...]:
    """Module globs.

    Raises:
        ArgumentError: it is one glob, or something else than text is among them.
    """
    if isinstance(patterns, str):
        raise _no_globs(f"module globs are a sequence, not one text: {patterns!r}", f"give ({patterns!r},)")
    if not isinstance(patterns, Iterable):
        raise _no_globs(f"module globs are a sequence, not {told(patterns)}", "give ('package.*',)")
    for pattern in patterns:
        if not isinstance(pattern, str):
            raise _no_globs(
                f"module globs are texts, not {told(pattern)}",
                "give 'package.*' for a module and all in it, or the module itself as a key of rules",
            )
    return tuple(patterns)


def _no_globs(what: str, remedy: str) -> ArgumentError:
    return ArgumentError(what, why="include and exclude name modules, whether imported or not", remedy=remedy)


def checked_rules(rules: Mapping[Any, bool]) -> tuple[tuple[Any, bool], ...]:
    """Rules for modules, classes and the functions inside what is given.

    Raises:
        ArgumentError: a key is nothing of these, or a value no truth value.
    """
    if not isinstance(rules, Mapping):
        raise _no_rules(f"rules are truth values by function, class or module, not {told(rules)}")
    found = []
    for given, converts in rules.items():
        key: Any = given
        if not isinstance(converts, bool):
            raise _no_rules(f"a rule is True or False, not {told(converts)}")
        if not isinstance(key, (type, types.ModuleType)):
            inner: Any = getattr(key, "__func__", key)
            key = inspect.unwrap(inner)
            if not isinstance(key, types.FunctionType):
                raise _no_rules(f"there are rules for functions, classes and modules, not for {told(given)}")
        found.append((key, converts))
    return tuple(found)


def _no_rules(what: str) -> ArgumentError:
    return ArgumentError(
        what,
        why="a rule says of a function, of the methods of a class or of a module's functions whether "
        "they are converted",
        remedy="give {function: True, module: False}",
    )
