"""Alias analysis: find other references to a list or array that a staged value is about to replace.

Two values carried by a loop are *tied* if one iteration leaves the same array in both.
"""

from __future__ import annotations

import gc
import sys
import types
from collections.abc import Callable, Collection, Iterator, Sequence
from types import FrameType
from typing import Any, Self

import numpy as np

from ...backends import BACKENDS, Backend
from ...core.closures import cells_of, function_key, holder_frame, parameter_names
from ...debugging.tracebacks import frame_variables, is_internal
from ...values.locations import has_contents

ROOT = "trace_root"
MAX_STEPS = 100_000  # a framework's model may reach almost every object
_CLOSED = (type, types.ModuleType, types.FunctionType, types.CodeType, types.FrameType, np.generic)
_ATOMS = (int, float, complex, bool, str, bytes, type(None))


class StateNames(tuple[str, ...]):  # noqa: SLOT001 - a tuple cannot have slots for further attributes
    """The names of a state whose variables belong to several functions: those of `code`, then `rest`."""

    by_function: dict[Any, set[str]]
    """The names in all functions but that of the statement, by the key of the function."""
    local: Sequence[str]

    def __new__(cls, names: Sequence[str], code: types.CodeType | None, rest: Sequence[str]) -> Self:
        joined = super().__new__(cls, (*names, *rest))
        joined.by_function, joined.local = dict(getattr(names, "by_function", {})), rest
        key = None if code is None else function_key(code)
        joined.by_function[key] = joined.by_function.get(key, set()) | set(getattr(names, "local", names))
        return joined


def user_frames(*, converted: bool = False) -> list[FrameType]:
    """Return the frames of the user's functions in this trace, innermost first, each with its variables.

    With `converted`, and in a trace that a framework runs, return only those of converted functions: no
    internal frame marks where a framework's trace begins.
    """
    found: list[FrameType] = []
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and frame.f_code.co_name != ROOT:
        if not is_internal(frame.f_code):
            found.append(frame)
        frame = (holder_frame(frame) or frame).f_back
    if converted or frame is None:
        return [f for f in found if "ag__" in f.f_code.co_freevars]
    return found


def user_variables() -> Iterator[tuple[str, Any]]:
    """Yield the variables of the user's running functions, innermost first."""
    for frame in user_frames():
        yield from frame_variables(frame).items()


def other_reference(
    value: Any,
    own: Collection[str] | None,
    code: types.CodeType | None,
    *,
    accounted: Callable[[Sequence[Any]], list[Any]] | None = None,
    without: Collection[Any] = (),
    is_deep: bool = False,
) -> str:
    """Describe a reference to a list or array, other than the variables `own` of one function.

    Return a text such as "the variable 'xs'", or "".

    Args:
        value: the list, array or object.
        own: names that may refer to the value; None for one variable of the innermost function.
        code: the code of a statement's closure, which identifies the function.
        accounted: for objects, a function that returns the values in a variable that may be `value`; if
            given, globals are searched in depth.
        without: objects whose references do not count.
        is_deep: whether the contents of globals count.
    """
    frames = user_frames()
    if code is None and frames:
        code = frames[0].f_code
    home = None if code is None else function_key(code)
    if own is None:
        same = [f for f in frames if function_key(f.f_code) == home]
        own = [n for f in same for n, v in frame_variables(f).items() if v is value][:1]
    if not isinstance(value, np.ndarray) and getattr(value, "base", None) is not None:
        return "the array that it is a view of"
    by_function, own = dict(getattr(own, "by_function", {})), getattr(own, "local", own)
    by_function[home] = {*by_function.get(home, ()), *own}
    for frame in frames:
        known = by_function.get(function_key(frame.f_code), ())
        for name, held in frame_variables(frame).items():
            if name in known and any(v is value for v in (accounted or list)([held])):
                continue
            if held is value or leads_to(held, value, without=without):
                return f"the variable {name!r}"
        for name, held in frame.f_globals.items():
            if held is value or (accounted and not isinstance(held, _CLOSED) and leads_to(held, value)):
                return f"the global {name!r}"
            is_searched = is_deep and not isinstance(held, _CLOSED)
            if is_searched and leads_to(held, value, MAX_STEPS, without=without):
                return f"the global {name!r}"
    return "the default of a parameter" if is_default(value) else ""


def is_default(value: Any) -> bool:
    """Return whether a value is the default of a running function's parameter."""
    frames = [((holder_frame(f) or f).f_code, f.f_locals) for f in user_frames()]
    codes = {code for code, held in frames if any(held.get(n) is value for n in parameter_names(code))}
    if not codes:
        return False  # searching all objects is slow if there are many
    functions = (f for f in gc.get_referrers(*codes) if isinstance(f, types.FunctionType))
    defaults = ((*(f.__defaults__ or ()), *(f.__kwdefaults__ or {}).values()) for f in functions)
    return any(default is value for of_one in defaults for default in of_one)


def with_bases(value: Any) -> Iterator[Any]:
    """Yield a value, its base, the base of the base, and so on."""
    while value is not None:
        yield value
        value = getattr(value, "base", None)


def _held_by_closure(function: types.FunctionType) -> list[Any]:
    cells = (cell for name, cell in cells_of(function).items() if name != "ag__")
    return [cell.cell_contents for cell in cells if has_contents(cell)]


def _nested_codes(code: types.CodeType) -> Iterator[types.CodeType]:
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield constant
            yield from _nested_codes(constant)


def root_of(value: Any) -> Any:
    """Return the array at the end of a chain of views."""
    root = value
    for root in with_bases(value):  # noqa: B007 - the last one
        pass
    return root


def ties(backend: Backend, left: Sequence[Any], code: types.CodeType | None) -> dict[int, Any]:
    """Return the ties among the values that an iteration leaves.

    The result maps the position of each tied value to the staged array that it is tied to, to the position of
    the value that is this array, or to None if neither is known.
    """
    is_inner = getattr(backend, "is_inner", None)
    if is_inner is None:
        return {}
    roots = {i: root_of(value) for i, value in enumerate(left) if backend.is_handle(value)}
    found: dict[int, Any] = {}
    for i, root in roots.items():
        same = [j for j, other in roots.items() if other is root]
        first = next((j for j in same if left[j] is root), None)
        if not is_inner(root):
            found[i] = root
        elif len(same) > 1 and first != i:
            found[i] = first
        elif getattr(left[i], "shared", ""):
            found[i] = None
    for i, value in enumerate(left):
        if isinstance(value, np.ndarray) and other_reference(value, (), code):
            found[i] = None
    return found


def leads_to(start: Any, value: Any, limit: float = float("inf"), *, without: Collection[Any] = ()) -> bool:
    """Return whether an object refers to a list or array, or to a view of it, other than through `without`.

    The search gives up after `limit` objects and returns False.
    """
    seen: set[int] = set(map(id, without))
    stack = [start]
    defined: set[types.CodeType] | None = None  # by running functions, which own what it closes over
    while stack and len(seen) < limit:
        item = stack.pop()
        if isinstance(item, _ATOMS) or id(item) in seen:
            continue
        seen.add(id(item))
        if item is value:
            return True
        if isinstance(item, np.ndarray):
            if isinstance(value, np.ndarray) and np.may_share_memory(item, value):
                return True
        elif isinstance(item, types.FunctionType):
            stack.extend(item.__defaults__ or ())
            if item.__closure__:
                if defined is None:
                    defined = {code for frame in user_frames() for code in _nested_codes(frame.f_code)}
                stack.extend(_held_by_closure(item) if item.__code__ not in defined else ())
        elif isinstance(item, types.BuiltinFunctionType):
            stack.append(item.__self__)
        elif not isinstance(item, _CLOSED) and BACKENDS[type(item)] is None:
            stack.extend(gc.get_referents(item))
    return False
