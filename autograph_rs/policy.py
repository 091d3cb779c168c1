"""Which functions are converted when converted code calls them.

User code is. Left as they are: the standard library, installed packages, this package, functions under
`do_not_convert`, functions without source; `include` and `exclude` name modules by glob.
"""

from __future__ import annotations

import fnmatch
import functools
import inspect
import os
import site
import sysconfig
import types
import weakref
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from autograph_rs.runtime.tracebacks import is_ours, is_shown

_unconverted: dict[int, weakref.ref[types.CodeType]] = {}


def do_not_convert(f: Any) -> Any:
    """Note that a function is left as it is when converted code calls it."""
    function = getattr(f, "__func__", f)
    code = getattr(function, "__code__", None)
    if code is None:
        raise TypeError(f"do_not_convert takes a function, not {type(f).__name__}")
    key = id(code)
    _unconverted[key] = weakref.ref(code, lambda _: _unconverted.pop(key, None))
    return f


@functools.cache
def _library_folders() -> tuple[str, ...]:
    names = ("stdlib", "platstdlib", "purelib", "platlib")
    folders = [*map(sysconfig.get_path, names), *site.getsitepackages(), site.getusersitepackages()]
    return tuple(sorted({os.path.realpath(f) + os.sep for f in folders if f}))


def _real(filename: str) -> str:
    try:
        return os.path.realpath(filename)
    except ValueError:  # no file can have such a name
        return filename


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
        code = function.__code__
        module = function.__globals__.get("__name__") or ""
        if id(code) in _unconverted:
            return "it is marked do_not_convert"
        if "ag__" in code.co_freevars or "ag__" in function.__globals__:
            return "it is converted already"
        rule = self.rule(function) if self.rules else None
        if rule is not None:
            return None if rule else "a rule says so"
        if not self.recursive:
            return "conversion is not recursive"
        if any(fnmatch.fnmatch(module, pattern) for pattern in self.exclude):
            return f"module {module} is excluded"
        if any(fnmatch.fnmatch(module, pattern) for pattern in self.include):
            return None
        if is_ours(code):
            return "it is part of autograph_rs"
        if not is_shown(code.co_filename) and _real(code.co_filename).startswith(_library_folders()):
            return "it is of the standard library or of an installed package"
        return None


def checked_globs(patterns: Sequence[str]) -> tuple[str, ...]:
    """Module globs.

    Raises:
        TypeError: it is one glob, or something else than text is among them.
    """
    if isinstance(patterns, str):
        raise TypeError(f"module globs are a sequence, not one text: give ({patterns!r},)")
    if not isinstance(patterns, Iterable):
        raise TypeError(f"module globs are a sequence, not {patterns!r}")
    for pattern in patterns:
        if not isinstance(pattern, str):
            raise TypeError(
                f"module globs are texts, not {pattern!r}: give 'package.*', or a module in rules"
            )
    return tuple(patterns)


def checked_rules(rules: Mapping[Any, bool]) -> tuple[tuple[Any, bool], ...]:
    """Rules for modules, classes and the functions inside what is given.

    Raises:
        TypeError: a key is nothing of these, or a value no truth value.
    """
    if not isinstance(rules, Mapping):
        raise TypeError(f"rules are truth values by function, class or module, not {rules!r}")
    found = []
    for given, converts in rules.items():
        key: Any = given
        if not isinstance(converts, bool):
            raise TypeError(f"a rule is True or False, not {converts!r}")
        if not isinstance(key, (type, types.ModuleType)):
            inner: Any = getattr(key, "__func__", key)
            key = inspect.unwrap(inner)
            if not isinstance(key, types.FunctionType):
                raise TypeError(f"there are rules for functions, classes and modules, not for {given!r}")
        found.append((key, converts))
    return tuple(found)
