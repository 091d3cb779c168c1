"""Alias analysis: find other references to a list or array that a staged value is about to replace.

Two values carried by a loop are *tied* if one iteration leaves the same array in both.
"""

from __future__ import annotations

import dis
import gc
import sys
import types
from collections import Counter, defaultdict, deque
from collections.abc import Callable, Collection, Iterator, Sequence
from types import CellType, FrameType
from typing import Any, Self

import numpy as np

from ...backends import Backend
from ...core.active_backends import active_backend
from ...core.closures import function_key, holder_frame, never, parameter_names, set_variable
from ...core.in_flight import running
from ...core.operands import is_read_later, pending_variables
from ...core.undefined import is_return_variable
from ...debugging.tracebacks import frame_variables, is_internal
from ...errors import AliasError
from ...values.alternatives import parts_of
from ...values.iterators import is_python_iterator
from ...values.locations import Location, read_contents
from ...values.plain_loops import is_looped_over, iterated_parts, keyed_loops, note_replaced
from ...values.selected_container import SelectedContainer, raw_items
from .heap import is_closed, is_older, is_user_object
from .search import ATOMS, MAX_STEPS, ROOT, any_leads_to, defined_codes, leads_to, reached, user_frames

IS_DEFAULT = "the default of a parameter"
WRITABLE = np.ndarray, deque, set, Counter, defaultdict
"""The plain objects that become staged values, and whose names then share no writes."""
OF_MODULES = frozenset(("__builtins__", "__loader__", "__spec__"))
"""Globals that Python sets; the loaders of some tools reach every object."""


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


def names_of(names: Sequence[str], name: str) -> Sequence[str]:
    """Return one name of a state, for each of the functions whose variables have it."""
    if not isinstance(names, StateNames):
        return (name,)
    found = tuple.__new__(StateNames, (name,))
    found.by_function = {key: own & {name} for key, own in names.by_function.items()}
    found.local = [own for own in names.local if own == name]
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

    Return a text such as "the variable 'xs'", or "". A variable that nothing reads any more does not count if
    it is a generator, which `is_held_otherwise` finds in other places.

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
        own = [n for f, n in holding_variables(value) if function_key(f.f_code) == home][:1]
    if not isinstance(value, np.ndarray) and getattr(value, "base", None) is not None:
        return "the array that it is a view of"
    by_function, own = dict(getattr(own, "by_function", {})), getattr(own, "local", own)
    by_function[home] = {*by_function.get(home, ()), *own}
    allowed, defined = [*without], defined_codes(frames)
    for frame in frames:
        known = by_function.get(function_key(frame.f_code), ())
        for name, held in frame_variables(frame).items():
            if name in known and any(v is value for v in (accounted or list)([held])):
                allowed += [] if held is value else [held]
                continue
            are_iterators = is_python_iterator(held) and is_python_iterator(value)
            if are_iterators and not is_read_later(frame, name):
                continue
            if held is value or leads_to(held, value, without=without, defined=defined):
                return "the result of the function" if is_return_variable(name) else f"the variable {name!r}"
    scopes = {id(frame.f_globals): frame.f_globals for frame in frames}
    named = [(n, held) for scope in scopes.values() for n, held in scope.items() if n not in OF_MODULES]
    searched = [(n, held) for n, held in named if (accounted or is_deep) and not is_closed(held)]
    found = [name for name, held in named if held is value]
    if not found and any_leads_to((held for _, held in searched), value, without=without, defined=defined):
        found = [
            n for n, held in searched if leads_to(held, value, MAX_STEPS, without=without, defined=defined)
        ]
    if found:
        return f"the global {found[0]!r}"
    holding = (context_managers, "a context manager"), (iterated_parts, "what a loop iterates over")
    for holders, text in holding:
        if accounted is None and any(leads_to(h, value, without=allowed, defined=defined) for h in holders()):
            return text
    return IS_DEFAULT if is_default(value) else ""


def is_held_otherwise(generator: Any) -> bool:
    """Return whether anything but variables refers to a generator: a container, an iterator, an object."""
    variables = [frame.f_locals for frame in user_frames()]
    holders = [r for r in gc.get_referrers(generator) if not isinstance(r, (FrameType, CellType))]
    return any(all(holder is not own for own in variables) for holder in holders)


def may_be_continued(iterator: Any) -> bool:
    """Return whether variables that later code reads, or globals, lead to an iterator."""
    starts = [held for frame, name, held in _variables() if is_read_later(frame, name)]
    scopes = {id(frame.f_globals): frame.f_globals for frame in user_frames()}
    for scope in scopes.values():
        starts += [held for name, held in scope.items() if name not in OF_MODULES and not is_closed(held)]
    return any(held is iterator for held in starts) or any_leads_to(starts, iterator)


def replaced(
    value: Any,
    make: Callable[[Any], Any],
    find: Callable[[], str],
    is_free: Callable[[Any], bool],
    restage: BaseException,
    *,
    views: Collection[Any] = (),
) -> tuple[Any, str]:
    """Make a staged list or array of a plain one, wherever the traced code refers to it.

    Return it and what else refers to the plain one, as `find` describes it. `is_free` returns whether an
    object was made in the trace, so that it may refer to staged values. Raise `restage` if other references,
    or `views` that `find` leaves out, are older than a branch or loop body that is being captured, whose
    statement has to do this.
    """
    getattr(active_backend(), "refuse_selected", id)(value)
    if is_looped_over(value):
        raise iterated_error(value)
    frames = {frame for frame, _ in holding_variables(value)}
    is_in_recursion = len(frames) > len({frame.f_code for frame in frames})
    is_shared = views or is_in_recursion or find()
    has_older = any(map(is_older, (value, *views) if is_shared else ()))
    staged = make(value)
    other = move(value, staged, find, is_free)
    if has_older and not other:
        move(staged, value, str, is_free)
        raise restage
    if not other:
        note_replaced(value, staged)
        for loop in keyed_loops(value):
            loop.replacement, loop.check = staged, active_backend().check_size
    return staged, other


def iterated_error(container: Any) -> AliasError:
    kind = type(container).__name__
    return AliasError(
        f"a {kind} is changed in a loop over the {kind}, under a staged condition or by a staged value",
        why="the Python loop would not see the change, which happens only when the graph runs",
        remedy="loop over a copy: for item in list(items)",
    )


def is_iterated(container: Any) -> bool:
    """Return whether Python code, of a loop or not, is iterating over a list, set or dict."""
    frame: FrameType | None = sys._getframe(1)
    loops = False
    while frame is not None and frame.f_code.co_name != ROOT:
        if is_internal(frame.f_code):
            if frame.f_locals.get("iter_") is container:
                return True
        else:
            loops = loops or _is_in_for_loop(frame)
        frame = (holder_frame(frame) or frame).f_back
    return loops and any(type(r).__name__ in _ITERATORS for r in gc.get_referrers(container))


def _is_in_for_loop(frame: FrameType) -> bool:
    """Return whether a frame is in a Python loop. Only then are all objects searched for its iterator."""
    if _FOR_ITER not in frame.f_code.co_code[::2]:
        return False
    loops = (i for i in dis.get_instructions(frame.f_code) if i.opcode == _FOR_ITER)
    return any(loop.offset <= frame.f_lasti < loop.argval for loop in loops)


_FOR_ITER = dis.opmap["FOR_ITER"]
_ITERATED: tuple[Any, ...] = [], {}, {}.items(), {}.values()
_ITERATORS = {type(make(value)).__name__ for value in _ITERATED for make in (iter, reversed)} | {
    "set_iterator"
}


def move(
    value: Any,
    other: Any,
    find: Callable[[], str],
    is_free: Callable[[Any], bool],
    *,
    is_pending_allowed: bool = False,
) -> str:
    """Have the variables of running functions, and what they contain, refer to another list or array.

    Return what else refers to it; if something does, change nothing.
    """
    if is_default(value):
        return IS_DEFAULT
    variables = [*holding_variables(value)]
    if not is_pending_allowed and any(name in pending_variables(frame) for frame, name in variables):
        return "an expression that is not finished"
    slots = [slot for slot in holding_slots(value) if is_free(slot.owner)]

    def put(old: Any, new: Any) -> None:
        for frame, name in variables:
            set_variable(frame, name, new)
        for slot in slots:
            is_list = isinstance(slot.owner, list)
            slot.set([new if item is old else item for item in slot.owner] if is_list else new)

    put(value, other)
    left = find()
    if left:
        put(other, value)
    return left


def holding_variables(value: Any) -> Iterator[tuple[FrameType, str]]:
    """Yield the variables of running functions and suspended generators that refer to a list or array.

    Variables of functions outside of the trace do not count.
    """
    for frame, name, held in _variables():
        if held is value:
            yield frame, name


def holding_slots(value: Any) -> Iterator[Location]:
    """Yield the attributes, items and closures' cells that refer to a list or array, and can be changed."""
    stack = [*(held for _, _, held in _variables()), *context_managers(), *iterated_parts()]
    seen: set[int] = set()
    while stack and len(seen) < MAX_STEPS:
        owner = stack.pop()
        if type(owner) in ATOMS or id(owner) in seen:
            continue
        seen.add(id(owner))
        if isinstance(owner, types.FunctionType):
            stack += owner.__closure__ or ()
        elif isinstance(owner, types.MethodType):
            stack.append(owner.__self__)
        elif isinstance(owner, tuple):
            stack += owner
        elif isinstance(owner, SelectedContainer):
            stack += raw_items(owner)
        elif isinstance(owner, (list, dict, types.CellType)) or is_user_object(owner):
            for key, held in read_contents(owner).items():
                items = held if isinstance(owner, list) else [held]
                stack += items
                if any(item is value for item in items):
                    yield Location(owner, key)


def _variables() -> Iterator[tuple[FrameType, str, Any]]:
    """Yield the variables of running functions and suspended generators, without those of outer functions."""
    frames = user_frames()
    made = {name for frame in frames for name in frame.f_code.co_cellvars}
    suspended = [held for frame in frames for held in frame_variables(frame).values()]
    suspended += [*(getattr(manager, "gen", None) for manager in context_managers()), *iterated_parts()]
    for generator in suspended:
        while isinstance(generator, types.GeneratorType) and generator.gi_frame is not None:
            frames.append(generator.gi_frame)
            generator = generator.gi_yieldfrom
    for frame in frames:
        for name, held in frame_variables(frame).items():
            if name in made or name not in frame.f_code.co_freevars:
                yield frame, name, held


def context_managers() -> list[Any]:
    """Return the context managers of the statements that are being staged."""
    return [] if running.flight is None else running.flight.reached()[1]


def is_aliased(value: Any, location: Any, shared: str | None = None) -> bool:
    """Return whether a value is an argument or a view, or has another name in a running function.

    `shared` is why it cannot be written to on the path that leaves it, if this is known.
    """
    if getattr(value, "is_argument", False) or (getattr(value, "shared", "") if shared is None else shared):
        return True
    if getattr(value, "base", None) is not None:
        return True
    has_other_name = getattr(value, "has_other_name", None)
    if has_other_name is not None and has_other_name():
        return True
    own = getattr(location, "name", None)
    return any(name != own and held is value for name, held in user_variables())


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


def root_of(value: Any) -> Any:
    """Return the array at the end of a chain of views."""
    return [value, *with_bases(value)][-1]


def shared_places(backend: Backend, leaves: Sequence[Any]) -> list[set[int]]:
    """Return the positions of values that share memory, together for each memory that several share."""
    places: dict[int, set[int]] = {}
    for i, leaf in enumerate(leaves):
        for part in parts_of(leaf):
            if isinstance(part, WRITABLE) or backend.is_handle(part):
                places.setdefault(id(root_of(part)), set()).add(i)
    return [same for same in places.values() if len(same) > 1]


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
    is_stand_in = getattr(backend, "is_stand_in", never)
    for i, value in enumerate(left):
        if type(value) is list and is_stand_in(value):
            found[i] = None
        if isinstance(value, WRITABLE) and other_reference(value, (), code):
            found[i] = None
    return found


def found_among(values: Collection[Any]) -> list[Any]:
    """Return those of some lists to which the variables and globals of the traced code lead."""
    scopes = {id(frame.f_globals): frame.f_globals for frame in user_frames()}
    held = [held for scope in scopes.values() for n, held in scope.items() if n not in OF_MODULES]
    starts = [held for _, _, held in _variables()] + [v for v in held if not is_closed(v)]
    sought = {id(value) for value in values}
    return [
        v for v in reached([*starts, *context_managers(), *iterated_parts()], MAX_STEPS) if id(v) in sought
    ]
