"""Warn about effects that happen once during a trace, but at each call in plain Python.

Most changes made by staged code are part of its state, and unsupported ones raise errors. The rest are
calls whose effect or result no backend sees, iterators that advance, and staged values that outlive their
trace.
"""

from __future__ import annotations

import dis
import logging
import random
import sys
import types
import warnings
from collections.abc import Iterable
from io import IOBase
from typing import Any

import numpy as np

from ...core.active_backends import active_backend
from ...core.packages import installed_package, is_library
from ...core.rolling_attempts import refuse_rolling
from ...debugging.frames import framed, skip_internal_frames
from ...debugging.tracebacks import frame_variables, is_internal
from .heap import running_heaps


class SideEffectWarning(UserWarning):
    """A staged function has an effect only while it is traced, not at each call.

    `warnings.filterwarnings("ignore", category=ag.SideEffectWarning)` silences the warning; "error" turns it
    into an error.

    >>> import autograph_rs as ag, numpy as np, sys, warnings
    >>> @ag.function
    ... def f(x):
    ...     if x > 0:
    ...         sys.stdout.write("positive")
    ...     return x
    >>> with warnings.catch_warnings(action="error"):
    ...     f(np.float64(-1))
    Traceback (most recent call last):
        ...
    autograph_rs.SideEffectWarning: write() is called in a branch or loop that is ...
    """

    __module__ = __name__.partition(".")[0]  # users import it from there


DRAWERS = (np.random.Generator, np.random.RandomState, random.Random)
"""The types whose methods draw random numbers."""

_TOLD = {
    "logging": "critical debug error exception info log warning Logger.critical Logger.debug Logger.error "
    "Logger.exception Logger.info Logger.log Logger.warning",
}
_DONE = {
    "io": "open",
    "_io": "open",
    "posix": "chmod link mkdir putenv remove rename replace rmdir symlink system truncate unlink unsetenv",
    "os": "makedirs removedirs renames",
    "pathlib": "Path.mkdir Path.open Path.rename Path.replace Path.rmdir Path.touch Path.unlink "
    "Path.write_bytes Path.write_text",
    "shutil": "copy copy2 copyfile copytree move rmtree",
    "subprocess": "call check_call check_output run",
    "time": "sleep",
}
_READ = {
    "builtins": "input",
    "datetime": "date.today datetime.now datetime.today datetime.utcnow",
    "posix": "urandom",
    "secrets": "choice randbelow randbits token_bytes token_hex token_urlsafe",
    "time": "ctime gmtime localtime monotonic monotonic_ns perf_counter perf_counter_ns process_time "
    "process_time_ns thread_time thread_time_ns time time_ns",
    "uuid": "uuid1 uuid4",
}


def _listed(table: dict[str, str]) -> frozenset[tuple[str, str]]:
    found = {(module, name) for module, names in table.items() for name in names.split()}
    found |= {("nt", name) for module, name in found if module == "posix"}
    return frozenset(found | {("pathlib._local", name) for module, name in found if module == "pathlib"})


TOLD, DONE, READ = map(_listed, (_TOLD, _DONE, _READ))
_WRITES = ("write", "writelines")
_NAMES = frozenset(name.rpartition(".")[2] for _, name in TOLD | DONE | READ) | {*_WRITES}
_WARN = framed(warnings.warn)

_HOST = {"graph": "ag.py_function", "jax": "a JAX callback", "tensorflow": "tf.py_function"}
_STATE = {"graph": "ag.Variable", "tensorflow": "tf.Variable", "torch": "a buffer of the module"}
_RANDOM = {"jax": "jax.random", "tensorflow": "tf.random", "torch": "torch.rand"}
_SILENCE = "(silenced by warnings.filterwarnings('ignore', category=ag.SideEffectWarning))"


def warn_of_effects(function: Any) -> None:
    """Warn if a function that converted code is about to call has an effect that no backend sees."""
    name = getattr(function, "__name__", None)
    if function is _WARN or (type(name) is str and name in _NAMES):
        _notice_known(function)
    elif isinstance(getattr(function, "__self__", None), DRAWERS):
        _notice_draw(function)


def is_known_effect(function: Any) -> bool:
    """Return whether a function is listed as one with an effect or a result that no backend sees."""
    return getattr(function, "__name__", None) in _NAMES and _key(function) in TOLD | DONE | READ


def _notice_known(function: Any) -> None:
    key, backend = _key(function), active_backend()
    host = _HOST.get(getattr(backend, "name", ""))
    if key in READ:
        refuse_rolling()
        if backend is not None:
            remedy = f"Pass it as an argument{f', or use {host}' if host else ''}"
            _warn(
                f"{_shown(key)}() is called while the function is traced: its result becomes a constant of "
                f"the graph, the same at each call. {remedy}"
            )
        return
    describe = function is _WARN or _is_stream_write(function) or (key in TOLD and _is_logged(function))
    if not running_heaps() or not (describe or key in DONE):
        return
    refuse_rolling()
    others = ["print(), which is staged"] * describe + ([host] if host else [])
    remedy = f"Use {', or '.join(others)}, or return" if others else "Return"
    shown = "warnings.warn" if function is _WARN else _shown(key)
    _warn(
        f"{shown}() is called in a branch or loop that is staged: it runs once, when the function is "
        f"traced, whether or not the branch runs. {remedy} a value and call {shown}() afterwards"
    )


def _key(function: Any) -> tuple[str, str]:
    owner = getattr(function, "__self__", None)
    module = owner.__module__ if isinstance(owner, type) else getattr(function, "__module__", None)
    return str(module), str(getattr(function, "__qualname__", ""))


def _shown(key: tuple[str, str]) -> str:
    """Return the usual name of a function."""
    module, name = key
    if "." in name or module in ("builtins", "io", "_io", "None"):
        return name.rpartition(".")[2] if module == "None" else name
    return f"{module.replace('posix', 'os')}.{name}"


def _is_stream_write(function: Any) -> bool:
    """Return whether a function writes to a standard stream or to a stream from outside the branch."""
    owner = getattr(function, "__self__", None)
    if owner is None or function.__name__ not in _WRITES:
        return False
    is_outer = any(id(owner) in heap.reached for heap in running_heaps())
    return owner is sys.stdout or owner is sys.stderr or (isinstance(owner, IOBase) and is_outer)


def _is_logged(function: Any) -> bool:
    """Return whether a `logging` function would log anything. Unbound methods do not count."""
    owner, name = getattr(function, "__self__", None), function.__name__
    logger = owner if isinstance(owner, logging.Logger) else logging.getLogger()
    level = logging.ERROR if name == "exception" else getattr(logging, name.upper(), logging.CRITICAL)
    return (owner is not None or "." not in function.__qualname__) and logger.isEnabledFor(level)


def _notice_draw(function: Any) -> None:
    backend = active_backend()
    if backend is None or getattr(backend, "draws", False):
        return
    refuse_rolling()
    frame = skip_internal_frames(sys._getframe())
    owner = function.__self__
    modules = random.random.__self__, np.random.rand.__self__  # type: ignore[attr-defined]
    outside = [] if frame is None else [*frame.f_globals.values()]
    if any(owner is known for known in (*modules, *outside)):
        own = _RANDOM.get(backend.name)
        _warn(
            f"{function.__name__}() draws a random number while the function is traced: it is a constant of "
            f"the graph, the same at each call. {f'Use {own}' if own else 'Pass it as an argument'}"
        )


def warn_of_advanced(iterators: Iterable[Any], known: set[Any]) -> None:
    """Warn about the iterators that a branch or loop has advanced although they come from outside it."""
    for value in iterators:
        frame = skip_internal_frames(sys._getframe())
        scopes = () if frame is None else (frame_variables(frame), frame.f_globals)
        name = next((n for scope in scopes for n, v in [*scope.items()] if v is value), "")
        _warn(
            f"the {type(value).__name__}{f' {name!r}' if name else ''} comes from outside a staged branch "
            "or loop but is advanced inside it: this happens once, when the function is traced, whether or "
            "not the branch runs. Take the items beforehand, or use an array and an index",
            known=known,
        )


def warn_of_escape(name: str, key: Any, closures: Iterable[Any], what: Any, known: set[Any]) -> None:
    """Warn that an attribute or variable, `key`, outlives the trace and contains a staged value."""
    if what in known:  # an inner statement has warned already
        return
    known.add(what)
    state = _STATE.get(getattr(active_backend(), "name", ""))
    _warn(
        f"{name} outlives the staged function and is set in a branch or loop that is staged: it keeps "
        "a staged value, which is unusable after the trace, and later calls do not set it. Return the "
        f"value and set it after the call{f', or use {state}' if state else ''}",
        line=_line_of(key, closures),
    )


_STORES = ("STORE_ATTR", "STORE_GLOBAL", "STORE_DEREF")


def _line_of(key: Any, closures: Iterable[Any]) -> int | None:
    """Return the line on which a statement's closures bind an attribute or variable, or None."""
    for closure in closures:
        if isinstance(closure, types.FunctionType) and not is_internal(closure.__code__):
            for instruction in dis.get_instructions(closure):
                if instruction.opname in _STORES and instruction.argval == key and instruction.positions:
                    return instruction.positions.lineno
    return None


def _warn(message: str, *, line: int | None = None, known: set[Any] | None = None) -> None:
    """Warn at the user's line, once for each staged statement, and never about installed packages."""
    frame = skip_internal_frames(sys._getframe())
    file = "" if frame is None else frame.f_code.co_filename
    if frame is None or is_library(file) or installed_package(file) is not None:
        return
    place = frame.f_code.co_filename, line or frame.f_lineno
    if known is None:
        known = running_heaps()[0].warned if running_heaps() else set()
    if (*place, message) in known:
        return
    known.add((*place, message))
    scope = frame.f_globals
    warnings.warn_explicit(
        f"{message} {_SILENCE}", SideEffectWarning, *place, module=scope.get("__name__", "<unknown>"),
        registry=scope.setdefault("__warningregistry__", {}),
    )  # fmt: skip
