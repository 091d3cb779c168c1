"""Warn about staged values that escape their trace, through a global or an attribute that outlives it."""

from __future__ import annotations

import gc
import inspect
import re
import types
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from ...backends import staged_by
from ...core.closures import parameter_names
from ...core.in_flight import running
from ...core.undefined import is_return_variable
from ...debugging.positions import has_exit
from ...debugging.tracebacks import frame_variables
from ...values.locations import ClassView, DictView, Location, Written
from ...values.plain_loops import iterated_parts
from ...values.structures import flatten
from . import side_effects
from .aliases import OF_MODULES, is_default
from .heap import is_closed, is_of_user
from .search import any_leads_to, nested_codes, user_frames

_BASE = re.compile(r"\w+")


def warn_of_escapes(statement: Any, values: dict[Any, Any]) -> None:
    """Warn about each location in `values` that outlives the trace and whose value there is staged."""
    describe: set[int] = set()
    for location, value in sorted(values.items(), key=lambda item: isinstance(item[0], Location)):
        if isinstance(location, Written) or all(staged_by(leaf) is None for leaf in flatten(value)[0]):
            continue
        if isinstance(location, Location):
            owner, key = getattr(location.owner, "kind", location.owner), location.key
            name = "" if id(owner) in describe else outer_name(statement, location)
        else:
            owner, key = owner_of(location.name), location.name.rpartition(".")[2]
            name = _of_variable(statement, location)
            describe.add(id(owner))
        if name:
            what = name if owner is None else id(owner), key
            side_effects.warn_of_escape(name, key, statement.closures, what, statement.warned)


def outlives(statement: Any, location: Any) -> bool:
    """Return whether a location, such as a global, outlives the trace."""
    if isinstance(location, Location):
        return bool(outer_name(statement, location))
    return not isinstance(location, Written) and bool(_of_variable(statement, location))


def is_only_view(statement: Any, view: Any, left: Sequence[Any]) -> bool:
    """Return whether nothing refers to the array of a view, so that it is like an array.

    `left` are the values that later code gets from the paths of a statement.
    """
    return not any(
        other.is_given or statement.other_reference(other) or any_leads_to(left, other)
        for other in _sharing_memory(view)
    )


def _sharing_memory(view: Any) -> Iterator[Any]:
    """Yield the staged array of which a value is a view, if it is one, and the other views of that array."""
    base: Any = getattr(view, "base", None)
    while staged_by(base) is not None:
        yield base
        holders = [holder for holder in gc.get_referrers(base) if type(holder) is tuple]
        for other in gc.get_referrers(*holders) if holders else ():
            if staged_by(other) is not None and other.base is base and other is not view:
                yield other
        view, base = base, base.base


def owner_of(name: str) -> Any:
    """Return the object that has the attribute `name`, or None."""
    base, *middle = name.split(".")[:-1] or [""]
    for frame in user_frames()[:1]:
        value = frame.f_locals.get(base, frame.f_globals.get(base))
        for part in middle:
            value = inspect.getattr_static(value, part, None)  # do not run user code for a warning
        return value
    return None


def outer_name(statement: Any, slot: Location) -> str:
    """Describe a slot whose owner outlives the trace; return "" for others."""
    owner = slot.owner
    if isinstance(owner, DictView):
        return slot.name if isinstance(owner, ClassView) else f"the global {slot.key!r}"
    if not _is_outer(statement.backend, statement.heap.globals, owner):
        return ""
    held = (n for f in user_frames() for n, v in [*f.f_globals.items()] if v is owner)
    name = next(held, "")
    if name and isinstance(owner, (dict, list)):
        return repr(name + slot.name * isinstance(owner, dict))
    return slot.name


def _of_variable(statement: Any, location: Any) -> str:
    """Describe a variable of a statement's state that outlives the trace; return "" for others."""
    name = location.name
    base = _BASE.match(name)
    getter = statement.get_state
    if hasattr(getter, "getter_of"):
        getter = getter.getter_of(location.index)
    code = getattr(getter, "__code__", None)
    if base is None or code is None or " " in name or is_return_variable(name):  # such a name is ours
        return ""
    frames = user_frames()
    if base[0] not in code.co_freevars:
        return f"the global {name!r}" if base[0] == name else repr(name)
    is_free = any(base[0] in f.f_code.co_freevars for f in frames)
    if is_free and not any(base[0] in f.f_code.co_cellvars for f in frames):
        return f"the outer variable {name!r}" if base[0] == name else repr(name)
    if base[0] == name:
        return ""
    values = [f.f_locals[base[0]] for f in frames if base[0] in f.f_locals][:1]
    return repr(name) if any(_is_outer(statement.backend, statement.heap.globals, v) for v in values) else ""


def is_made_in_trace(backend: Any, known: Iterable[Any], owner: Any) -> bool:
    """Return whether nothing that outlives the trace, such as a free variable, refers to an object.

    `known` are values of globals.
    """
    if isinstance(owner, DictView) or _is_outer(backend, known, owner):
        return False
    is_given = hasattr(backend, "is_given")  # then `_is_outer` has looked at the arguments
    frames = user_frames()
    made = {name for frame in frames for name in frame.f_code.co_cellvars}
    held = [
        value
        for frame in frames
        for name, value in frame_variables(frame).items()
        if (name in frame.f_code.co_freevars and name not in made)
        or (frame is frames[-1] and name in parameter_names(frame.f_code) and not is_given)
    ]
    scopes = {id(frame.f_globals): frame.f_globals for frame in frames}
    held += [value for scope in scopes.values() for n, value in scope.items() if n not in OF_MODULES]
    classes = {*type(owner).__mro__, *(value for value in held if isinstance(value, type))}
    held += [value for kind in classes if is_of_user(kind) for value in vars(kind).values()]
    return not any_leads_to(held, owner)


def _is_outer(backend: Any, known: Iterable[Any], owner: Any) -> bool:
    """Return whether a global, or an argument that is the caller's own object, refers to `owner`."""
    named = [f.f_globals[n] for f in user_frames() for n in f.f_code.co_names if n in f.f_globals]
    held = [*known, *named, *_arguments(backend)]
    cells = (cell for f in held if isinstance(f, types.FunctionType) for cell in f.__closure__ or ())
    return any(cell is owner for cell in cells) or any_leads_to(held, owner)


def _arguments(backend: Any) -> Iterator[Any]:
    """Yield the traced function's arguments that are the caller's own objects, if the backend can tell."""
    is_given = getattr(backend, "is_given", None)
    if is_given is None:
        return
    for frame in user_frames()[-1:]:
        for name in parameter_names(frame.f_code):
            if name in frame.f_locals and is_given(frame.f_locals[name]):
                yield frame.f_locals[name]


def is_local_result(value: Any, location: Any) -> bool:
    """Return whether a value is what a function returns, and only variables of this call refer to its memory.

    Then nothing can change it after the function has returned, unless a `finally` or the exit of a context
    manager does, as long as the location is the result of the function.
    """
    if not is_return_variable(getattr(location, "name", "")) or is_default(value):
        return False
    frames = user_frames()
    codes = [frame.f_code for frame in frames]
    count = next((i for i, c in enumerate(codes, 1) if location.name in (*c.co_cellvars, *c.co_varnames)), 0)
    if any(has_exit(frame.f_code, frame.f_lasti) for frame in frames[:count]):
        return False
    others = [held for frame in frames[count:] for held in frame_variables(frame).values()]
    scopes = {id(frame.f_globals): frame.f_globals for frame in frames}
    named = [(n, held) for scope in scopes.values() for n, held in scope.items() if n not in OF_MODULES]
    others += [held for _, held in named if not is_closed(held)]
    if running.flight is not None:
        bodies, managers = running.flight.reached()
        own = {nested for code in codes[:count] for nested in nested_codes(code)}
        others += [*(body for body in bodies if body.__code__ not in own), *managers]
    others += iterated_parts()
    sharing = [*_sharing_memory(value)]
    found = any(any_leads_to(others, part, defined=()) for part in (value, *sharing))
    return count > 0 and not found and not any(part.is_given for part in sharing)
