"""Warnings of what happens once, while a function is traced, and each time in plain Python.

Most of what staged code changes is part of its state, and what cannot be is refused. Left are calls whose
effect or answer no backend sees, iterators that move, and staged values that outlive their trace.
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

from .active import active
from .frames import framed, user_frame
from .heap import watched
from .tracebacks import is_library, is_ours, variables


class SideEffectWarning(UserWarning):
    """A staged function does something once, when it is traced, that Python does each time.

    `warnings.filterwarnings("ignore", category=ag.SideEffectWarning)` silences it, and with "error" it is
    an error.

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
    autograph_rs.runtime.side_effects.SideEffectWarning: write() is called in a branch or loop that is ...
    """


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

_HOST = {"graph": "ag.py_function", "jax": "a callback of JAX", "tensorflow": "tf.py_function"}
_STATE = {"graph": "ag.Variable", "tensorflow": "tf.Variable", "torch": "a buffer of the module"}
_RANDOM = {"jax": "jax.random", "tensorflow": "tf.random", "torch": "torch.rand"}
_SILENCE = "(silenced by warnings.filterwarnings('ignore', category=ag.SideEffectWarning))"


def notice(function: Any) -> None:
    """Warn where a function that converted code is about to call has an effect, or an answer, of its own."""
    name = getattr(function, "__name__", None)
    if function is _WARN or (type(name) is str and name in _NAMES):
        _notice_known(function)
    elif isinstance(getattr(function, "__self__", None), DRAWERS):
        _notice_draw(function)


def _notice_known(function: Any) -> None:
    key, shown = _key(function), f"{function.__name__}()"
    if key in READ:
        backend = active()
        if backend is not None:
            host = _HOST.get(backend.name)
            _warn(
                f"{_shown(key)}() is called while the function is traced: what it gives is a constant of the "
                f"graph, the same at each call. Pass it as an argument{f', or use {host}' if host else ''}"
            )
        return
    told = function is _WARN or _is_stream_write(function) or (key in TOLD and _is_logged(function))
    if not watched() or not (told or key in DONE):
        return
    host = _HOST.get(getattr(active(), "name", ""))
    others = ["print(), which is staged"] * told + ([host] if host else [])
    remedy = f"Use {', or '.join(others)}, or return" if others else "Return"
    shown = "warnings.warn" if function is _WARN else _shown(key)
    _warn(
        f"{shown}() is called in a branch or loop that is staged: it happens once, when the function is "
        f"traced, whether or not the branch runs. {remedy} a value and do it after the call"
    )


def _key(function: Any) -> tuple[str, str]:
    owner = getattr(function, "__self__", None)
    module = owner.__module__ if isinstance(owner, type) else getattr(function, "__module__", None)
    return str(module), str(getattr(function, "__qualname__", ""))


def _shown(key: tuple[str, str]) -> str:
    """A function by the name that it is known under."""
    module, name = key
    if "." in name or module in ("builtins", "io", "_io", "None"):
        return name.rpartition(".")[2] if module == "None" else name
    return f"{module.replace('posix', 'os')}.{name}"


def _is_stream_write(function: Any) -> bool:
    """Whether a function writes to a standard stream, or to a stream from outside the branch."""
    owner = getattr(function, "__self__", None)
    if owner is None or function.__name__ not in _WRITES:
        return False
    is_outer = any(id(owner) in heap.reached for heap in watched())
    return owner is sys.stdout or owner is sys.stderr or (isinstance(owner, IOBase) and is_outer)


def _is_logged(function: Any) -> bool:
    """Whether a function of `logging` would tell anything; a method counts once it is bound."""
    owner, name = getattr(function, "__self__", None), function.__name__
    logger = owner if isinstance(owner, logging.Logger) else logging.getLogger()
    level = logging.ERROR if name == "exception" else getattr(logging, name.upper(), logging.CRITICAL)
    return (owner is not None or "." not in function.__qualname__) and logger.isEnabledFor(level)


def _notice_draw(function: Any) -> None:
    backend = active()
    if backend is None or getattr(backend, "draws", False):
        return
    frame = user_frame(sys._getframe())
    owner = function.__self__
    modules = random.random.__self__, np.random.rand.__self__  # type: ignore[attr-defined]
    outside = [] if frame is None else [*frame.f_globals.values()]
    if any(owner is known for known in (*modules, *outside)):
        own = _RANDOM.get(backend.name)
        _warn(
            f"{function.__name__}() draws a random number while the function is traced: it is a constant of "
            f"the graph, the same at each call. {f'Use {own}' if own else 'Pass it as an argument'}"
        )


def notice_moved(iterators: Iterable[Any], known: set[Any]) -> None:
    """Warn of iterators from outside a branch or loop that it has moved."""
    for value in iterators:
        frame = user_frame(sys._getframe())
        scopes = () if frame is None else (variables(frame), frame.f_globals)
        name = next((n for scope in scopes for n, v in [*scope.items()] if v is value), "")
        _warn(
            f"{f'{name!r}, ' if name else ''}a {type(value).__name__} from outside, is advanced in a branch "
            "or loop that is staged: that happens once, when the function is traced, whether or not the "
            "branch runs. Take its items before, or use an array and an index",
            known=known,
        )


def notice_kept(name: str, key: Any, closures: Iterable[Any], what: Any, known: set[Any]) -> None:
    """Warn that what outlives the trace holds a staged value; `key` is the attribute or variable."""
    if what in known:  # a statement inside has said it
        return
    known.add(what)
    state = _STATE.get(getattr(active(), "name", ""))
    _warn(
        f"{name} outlives the staged function, and is set in a branch or loop that is staged: it is left "
        "with a staged value, which is of no use after the trace, and later calls do not set it. Return the "
        f"value and set it after the call{f', or use {state}' if state else ''}",
        line=_line_of(key, closures),
    )


_STORES = ("STORE_ATTR", "STORE_GLOBAL", "STORE_DEREF")


def _line_of(key: Any, closures: Iterable[Any]) -> int | None:
    """The line at which closures of a statement bind an attribute or a variable."""
    for closure in closures:
        if isinstance(closure, types.FunctionType) and not is_ours(closure.__code__):
            for instruction in dis.get_instructions(closure):
                if instruction.opname in _STORES and instruction.argval == key and instruction.positions:
                    return instruction.positions.lineno
    return None


def _warn(message: str, *, line: int | None = None, known: set[Any] | None = None) -> None:
    """Warn at the user's line, once for a staged statement, and never of what a package does."""
    frame = user_frame(sys._getframe())
    if frame is None or is_library(frame.f_code.co_filename):
        return
    place = frame.f_code.co_filename, line or frame.f_lineno
    if known is None:
        known = watched()[0].warned if watched() else set()
    if (*place, message) in known:
        return
    known.add((*place, message))
    scope = frame.f_globals
    warnings.warn_explicit(
        f"{message} {_SILENCE}", SideEffectWarning, *place, module=scope.get("__name__", "<unknown>"),
        registry=scope.setdefault("__warningregistry__", {}),
    )  # fmt: skip
