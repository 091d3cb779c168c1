"""Raise the recursion limit during conversion, and report code that still exceeds it."""

from __future__ import annotations

import ast
import gc
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from autograph_rs import converters
from autograph_rs.converters.trees.python_trees import UnknownNodeError
from autograph_rs.runtime.errors import ConversionError, PassError, documentation

from .conversion_errors import nesting_error, node_position

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
def guarded_conversion(what: str, node: ast.AST, filename: str, function: str = "<module>") -> Iterator[None]:
    """Allow deep recursion, and report failures of Python's compiler or of a pass as errors at a node."""
    try:
        with deep_recursion():
            yield
    except (RecursionError, MemoryError) as error:
        raise nesting_error(what, node_position(node, filename, function)) from error
    except SyntaxError as error:
        position = node_position(node, filename, function)
        if error.msg.startswith("too many"):  # blocks, parentheses, levels of indentation
            raise nesting_error(what, position, f"{error.msg} in the converted code") from error
        raise ConversionError(
            f"{what} cannot be converted",
            why=f"this is a bug in autograph_rs; Python rejects the generated code: {error.msg}",
            remedy="opt the function out with @ag.do_not_convert, and report the bug with its source",
            place=position,
        ) from error
    except UnknownNodeError as error:
        raise ConversionError(
            f"{what} cannot be converted",
            why=str(error),
            remedy="pip install --upgrade gast, or opt the function out with @ag.do_not_convert",
            place=node_position(node, filename, function),
        ) from error
    except converters.PassError as error:
        raise PassError(
            str(error),
            why="a custom pass must keep the guarantees that it declares, and return a tree that compiles",
            remedy=f"correct the pass; {documentation('docs/embedding.md')} lists the rules",
            place=node_position(node, filename, function),
        ) from error
