"""Decide whether converted code converts a function that it calls.

User code is converted, and so are the installed packages of the functions that the user asked to convert.
Other installed packages are converted where a staged value reaches them. The standard library, tensor systems
(`LIBRARIES`), this package and functions under `do_not_convert` are not. Users override this with
module globs (`include`, `exclude`) and with `rules`.
"""

from __future__ import annotations

import enum
import fnmatch
import functools
import inspect
import sys
import types
import weakref
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from autograph_rs.runtime.core.packages import LIBRARIES, installed_package, is_library, module_file
from autograph_rs.runtime.debugging.tracebacks import is_internal
from autograph_rs.runtime.errors import ArgumentError, describe

ALREADY_CONVERTED = "it is already converted"
_DERIVED_COMPARISONS = frozenset(
    function.__code__ for pairs in getattr(functools, "_convert", {}).values() for _, function in pairs
)
"""The code of the comparisons that `functools.total_ordering` adds to a class."""
_opted_out: dict[int, weakref.ref[types.CodeType]] = {}
_opted_out_modules: set[str] = set()


def opt_out_module(name: str) -> None:
    """Opt the functions of a module and of its submodules out of conversion."""
    _opted_out_modules.add(f"{name}.")


def do_not_convert(f: Any) -> None:
    """Opt the code of a function out of conversion."""
    code = getattr(f, "__code__", None)
    if code is None:
        raise ArgumentError(
            f"do_not_convert takes a function or a module, not {describe(f)}",
            why="it marks the code object of a function, and this object has none",
            remedy="mark a function or method, or call this object inside `with ag.do_not_convert():`",
        )
    key = id(code)
    _opted_out[key] = weakref.ref(code, lambda _: _opted_out.pop(key, None))


class When(enum.Enum):
    """When converted code converts a function that it calls."""

    ALWAYS = enum.auto()
    STAGED = enum.auto()
    """Only in calls that a staged value reaches."""
    NEVER = enum.auto()


@dataclass(frozen=True)
class Policy:
    """The rules of one transpiler."""

    recursive: bool = True
    include: Sequence[str] = ()
    exclude: Sequence[str] = ()
    rules: Sequence[tuple[Any, bool]] = ()
    requested: set[str] = field(default_factory=set)
    """The installed packages of the functions that the user asked to convert."""
    operator_modules: set[str] = field(default_factory=set)
    """The modules that define the operators, without those of functions that the user asked to convert."""

    def request(self, function: types.FunctionType) -> bool:
        """Record where a function comes from that the user asks to convert; return whether that is new."""
        module = function.__module__
        is_new = module in self.operator_modules
        self.operator_modules.discard(module)
        package = installed_package(module_file(unwrap(function)))
        if package is None or package in LIBRARIES or package in self.requested:
            return is_new
        self.requested.add(package)
        return True

    def _matching_rule(self, function: types.FunctionType) -> bool | None:
        """Return the value of the most specific user rule, or None if no rule matches."""
        module = function.__globals__.get("__name__") or ""
        matches: dict[int, bool] = {}
        for key, converts in self.rules:
            if isinstance(key, types.ModuleType):
                if f"{module}.".startswith(f"{key.__name__}."):
                    matches[2] = converts
            elif isinstance(key, type):
                owners = {(c.__module__, c.__qualname__) for c in key.__mro__ if c is not object}
                if any(m == module and function.__qualname__.startswith(f"{name}.") for m, name in owners):
                    matches[1] = converts
            elif key is function or key.__code__ is function.__code__:
                matches[0] = converts
        return matches[min(matches)] if matches else None

    def reason_unconverted(self, function: types.FunctionType) -> str | None:
        """Return why a called function is left unconverted, or None if it is converted."""
        when, reason = self.verdict(function)
        return reason if when is When.NEVER else None

    def verdict(self, function: types.FunctionType) -> tuple[When, str]:
        """Return when a called function is converted, and the rule that decides."""
        code = function.__code__
        module = function.__globals__.get("__name__") or ""
        if id(code) in _opted_out:
            return When.NEVER, "it is marked do_not_convert"
        if _opted_out_modules and f"{module}.".startswith(tuple(_opted_out_modules)):
            return When.NEVER, f"module {module} is marked do_not_convert"
        if "ag__" in code.co_freevars or "ag__" in function.__globals__:
            return When.NEVER, ALREADY_CONVERTED
        rule = self._matching_rule(function) if self.rules else None
        if rule is not None:
            return When.ALWAYS if rule else When.NEVER, "a user rule decides"
        if not self.recursive:
            return When.NEVER, "conversion is not recursive"
        if any(fnmatch.fnmatch(module, pattern) for pattern in self.exclude):
            return When.NEVER, f"module {module} is excluded"
        if any(fnmatch.fnmatch(module, pattern) for pattern in self.include):
            return When.ALWAYS, f"module {module} is included"
        if module in self.operator_modules:
            return When.NEVER, f"module {module} defines the operators"
        if is_internal(code):
            return When.NEVER, "it is part of autograph_rs"
        package = installed_package(module_file(function))
        root = package or module.partition(".")[0]
        if root in LIBRARIES and (package or hasattr(sys.modules.get(root), "__path__")):
            return When.NEVER, f"the package {root} is never converted"
        if code in _DERIVED_COMPARISONS:
            return When.ALWAYS, "functools.total_ordering derived it from a user's method"
        if module == "statistics" and function.__qualname__.startswith("NormalDist."):
            return When.STAGED, "its methods are formulas of numbers"
        if is_library(code.co_filename):
            return When.NEVER, "it belongs to the standard library"
        if package is None:
            return When.ALWAYS, "it is user code"
        if package in self.requested:
            return When.ALWAYS, f"a function of its package {package} was converted on request"
        return (
            When.STAGED,
            f"calls of the installed package {package} are converted if a staged value reaches them",
        )


def unwrap(function: types.FunctionType) -> types.FunctionType:
    """Return the innermost Python function that decorators wrapped, as `functools.wraps` records it."""
    try:
        inner = inspect.unwrap(function)
    except ValueError:  # a cycle
        return function
    return inner if isinstance(inner, types.FunctionType) else function


def checked_globs(patterns: Sequence[str]) -> tuple[str, ...]:
    """Check the argument `include` or `exclude` of a transpiler, and return it as a tuple."""
    if isinstance(patterns, str):
        raise _globs_error(f"module globs must be a sequence, not a string: {patterns!r}", f"({patterns!r},)")
    if not isinstance(patterns, Iterable):
        raise _globs_error(f"module globs must be a sequence, not {describe(patterns)}", "('package.*',)")
    for pattern in patterns:
        if not isinstance(pattern, str):
            raise _globs_error(
                f"module globs must be strings, not {describe(pattern)}",
                "'package.*' for a module and its submodules, or the module itself as a key of rules",
            )
    return tuple(patterns)


def _globs_error(what: str, example: str) -> ArgumentError:
    why = "include and exclude match modules by name, whether or not they are imported"
    return ArgumentError(what, why=why, remedy=f"pass {example}")


def checked_kinds(kinds: Any) -> tuple[type, ...]:
    """Check the argument `kinds` of a transpiler, and return it as a tuple."""
    found = tuple(kinds) if isinstance(kinds, Iterable) else (kinds,)
    for kind in found:
        if not isinstance(kind, type):
            raise ArgumentError(
                f"kinds must be classes, not {describe(kind)}",
                why="values of these classes are symbolic",
                remedy="pass kinds=(Expr,) with a class of your values",
            )
    return found


def checked_rules(rules: Mapping[Any, bool], unconverted: Iterable[type]) -> tuple[tuple[Any, bool], ...]:
    """Check the argument `rules` of a transpiler, and return it as pairs with unwrapped functions.

    The classes in `unconverted` get rules, too.
    """
    if not isinstance(rules, Mapping):
        raise _rules_error(f"rules must be a mapping such as {{function: True}}, not {describe(rules)}")
    pairs: list[tuple[Any, bool]] = [(kind, False) for kind in unconverted if kind not in rules]
    for rule_key, converts in rules.items():
        key: Any = rule_key
        if not isinstance(converts, bool):
            raise _rules_error(f"a rule must be True or False, not {describe(converts)}")
        if not isinstance(key, (type, types.ModuleType)):
            inner: Any = getattr(key, "__func__", key)
            key = inspect.unwrap(inner)
            if not isinstance(key, types.FunctionType):
                raise _rules_error(
                    f"a key of rules must be a function, class or module, not {describe(rule_key)}"
                )
        pairs.append((key, converts))
    return tuple(pairs)


def _rules_error(what: str) -> ArgumentError:
    return ArgumentError(
        what,
        why="a rule decides whether a function, the methods of a class, or the functions of a module are "
        "converted",
        remedy="pass {function: True, module: False}",
    )
