"""Let conversion recurse deeply, and report code that is nested too deeply even so."""

from __future__ import annotations

import gc
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from autograph_rs.converters import PassError
from autograph_rs.runtime.debugging.positions import CodePosition

from . import conversion_errors

MAX_DEPTH = 20_000

_lock = threading.Lock()
_users = 0
_previous_limit = 0
_gc_was_enabled = False


@contextmanager
def deep_recursion() -> Iterator[None]:
    """Raise the interpreter's recursion limit and pause its garbage collector while any thread converts.

    A tree contains no garbage until the conversion ends. Repeated collections of a heap that grows with the
    tree would make conversion take more than linear time.
    """
    global _users, _previous_limit, _gc_was_enabled  # noqa: PLW0603 - the interpreter's settings are global
    with _lock:
        if _users == 0:
            _previous_limit, _gc_was_enabled = sys.getrecursionlimit(), gc.isenabled()
            sys.setrecursionlimit(max(_previous_limit, MAX_DEPTH))
            gc.disable()
        _users += 1
    try:
        yield
    finally:
        with _lock:
            _users -= 1
            if _users == 0:
                sys.setrecursionlimit(_previous_limit)
                if _gc_was_enabled:
                    gc.enable()


@contextmanager
def guarded_conversion(what: str, position: Callable[[], CodePosition]) -> Iterator[None]:
    """Allow deep recursion, and report failures of Python's compiler or of a pass as conversion errors."""
    try:
        with deep_recursion():
            yield
    except (RecursionError, MemoryError) as error:
        raise conversion_errors.nesting_error(what, position()) from error
    except SyntaxError as error:
        if error.msg.startswith("too many"):  # blocks, parentheses, levels of indentation
            reason = f"{error.msg} in the converted code"
            raise conversion_errors.nesting_error(what, position(), reason) from error
        raise conversion_errors.internal_error(what, position(), error.msg) from error
    except PassError as error:
        raise conversion_errors.pass_error(str(error), position()) from error
