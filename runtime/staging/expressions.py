"""Expressions: comprehensions, items, membership, and what else is staged without a statement."""

from __future__ import annotations

import functools
import operator
import threading
from collections.abc import Callable, Iterable, Iterator
from types import FrameType
from typing import Any

from ..active import ACTIVE, active
from ..backends import BACKENDS, Backend, staged_by
from ..chosen import ChosenList, settle
from ..empty import nothing, set_nothing
from ..errors import MissingValueError, StagingError, ValueNeededError
from ..structures import Spec, flatten, unflatten, with_sources_of
from .conditions import if_stmt
from .loops import for_stmt


class _Filters(threading.local):
    """The conditions of the comprehensions that this thread is in: None, one noted, or True to keep all."""

    def __init__(self) -> None:
        self.stack: list[Any] = []


_filters = _Filters()


def plain_comp(iterated: Iterable[Any], comprehension: Callable[[Any], list]) -> Any:
    """A comprehension over plain values while something is staged.

    Python runs it up to the first item whose condition is staged; from there on a staged list grows.
    """
    found: list[Any] = []
    items = iter(iterated)

    def until_staged() -> Iterator[Any]:
        for item in items:
            yield item
            if _filters.stack[-1] is not None:
                found.append(item)
                return

    first, cond = _noting(comprehension, until_staged())
    if cond is None:
        return first
    backend = staged_by(cond)
    assert backend is not None
    made = _staged_list(backend, first)
    _extend(backend, made, comprehension, found[0], [], cond)
    for item in items:
        _extend(backend, made, comprehension, item, *_noting(comprehension, [item]))
    return made


def list_comp(backend: Backend, iterated: Any, comprehension: Callable[[Any], list]) -> Any:
    """A list comprehension over something staged, as a loop that appends to a staged list."""
    made = _staged_list(backend, [])

    def body(item: Any) -> None:
        _extend(backend, made, comprehension, item, *_noting(comprehension, [item]))

    for_stmt(backend, iterated, None, body, tuple, set_nothing, (), {})
    unstaged = getattr(backend, "unstaged", None)
    return made if unstaged is None else unstaged(made)


def _staged_list(backend: Backend, values: list[Any]) -> Any:
    make = getattr(backend, "staged_list", None)
    if make is None:
        raise StagingError(
            "a list comprehension over something staged makes a list whose length depends on staged values",
            why=f"{backend.name} has no such lists",
            remedy="write into an array of the greatest length in a 'for' loop",
        )
    return make(values)


def _noting(comprehension: Callable[[Any], list], items: Iterable[Any]) -> tuple[list[Any], Any]:
    """What a comprehension gives for items, and the staged condition that an item had, which it left out."""
    _filters.stack.append(None)
    try:
        return comprehension(items), _filters.stack[-1]
    finally:
        _filters.stack.pop()


def _extend(
    backend: Backend, made: Any, comprehension: Callable[[Any], list], item: Any, given: list[Any], cond: Any
) -> None:
    """Append what a comprehension gives for an item, which with a staged condition is yet to be seen."""
    if cond is None:
        made.extend(given)
    else:
        keep = functools.partial(_append_kept, made, comprehension, item)
        if_stmt(backend, cond, keep, nothing, tuple, set_nothing, (), 0)


def _append_kept(made: Any, comprehension: Callable[[Any], list], item: Any) -> None:
    _filters.stack.append(True)
    try:
        made.extend(comprehension([item]))
    finally:
        _filters.stack.pop()


def keep(cond: Any) -> bool:
    """In the first run of a comprehension its condition is noted, in the second it holds."""
    if _filters.stack[-1] is True:
        return True
    _filters.stack[-1] = cond
    return False


def bound(backend: Backend, value: Any) -> Any:
    """A staged value, checked where it is read if it may be unbound."""
    check = getattr(backend, "bound", None)
    return value if check is None else check(value)


def bound_parts(value: Any) -> Any:
    """A structure whose staged values are checked, if they may be unbound."""
    leaves, spec = flatten(value)
    owners = list(map(staged_by, leaves))
    if not any(owners):
        return value
    checked = [leaf if o is None else bound(o, leaf) for o, leaf in zip(owners, leaves, strict=True)]
    if all(map(operator.is_, checked, leaves)):
        return value
    return unflatten(spec, checked)


def certain(value: Any, name: str) -> Any:
    """An attribute's value, where it is asked whether there is one.

    Raises:
        MissingValueError: that is known at run time only.
    """
    backend = BACKENDS[type(value)]
    if backend is not None and backend.is_staged(value) and bound(backend, value) is not value:
        raise MissingValueError(
            f"whether there is an attribute {name!r} depends on a staged value",
            why="hasattr() and getattr() with a default ask now, and only the program knows",
            remedy=f"give the attribute {name!r} a value on each path",
        )
    return value


def refuse_text(value: Any) -> None:
    """The text of a tuple, list or dict cannot have staged values in it."""
    if any(staged_by(leaf) is not None for leaf in flatten(value)[0]):
        raise ValueNeededError(
            f"a {type(value).__name__} that holds staged values is formatted into text",
            why="Python would write the handles that stand for the values while the program is built",
            remedy="format its items, as in f'{x[0]}, {x[1]}', or print it",
        )


def assert_stmt(backend: Backend, test: Any, msg: Callable[[], Any] | None) -> None:
    backend.assert_(test, msg)


def looping() -> Backend | None:
    """The backend that is staging now, if it makes a loop of a plain `range` that has loop options."""
    backend = active()
    return backend if getattr(backend, "loops_over_ranges", False) else None


def is_active() -> bool:
    """Whether a backend is staging now, so that values inside others may be staged."""
    return active() is not None


def tells_raises() -> bool:
    """Whether the trace under way asks what user code raised: the program may raise it when it runs."""
    backend = active()
    asks = hasattr(backend, "ended") or hasattr(backend, "raise_last")
    return backend is not None and (asks or in_branch())


def ended(error: BaseException, frame: FrameType) -> bool:
    """Whether the program raises what ended a trace, when it runs; `frame` is that of a converted call.

    That is for the outermost such call to ask: what an inner one raises ends those around it as well.
    """
    ends = getattr(active(), "ended", None)
    if ends is None:
        return False
    outer = frame.f_back
    while outer is not None:
        if outer.f_code is frame.f_code:
            return False
        outer = outer.f_back
    return bool(ends(error))


def has_staged(key: Any) -> bool:
    """Whether an index holds something staged."""
    if staged_by(key) is not None:
        return True
    if type(key) is tuple:
        return any(map(has_staged, key))
    if type(key) is slice:
        return any(staged_by(part) is not None for part in (key.start, key.stop, key.step))
    return False


def _owner_of(*values: Any) -> Backend | None:
    for value in values:
        parts = value if type(value) is tuple else (value,)
        for part in parts:
            bounds = (part.start, part.stop, part.step) if type(part) is slice else (part,)
            for leaf in bounds:
                backend = staged_by(leaf)
                if backend is not None:
                    return backend
    return None


def get_item(target: Any, key: Any) -> Any:
    backend = _owner_of(key, target)
    assert backend is not None
    is_of_items = isinstance(target, (list, tuple)) and len(target) > 0 and staged_by(key) is not None
    if is_of_items and flatten(target[0])[1].kind is not None:
        items = [flatten(item, sources=lambda value: (value,)) for item in target]
        specs = [spec for _, spec in items]
        if specs.count(specs[0]) == len(specs):
            return _item_by_parts(backend, target, key, [own for own, _ in items], specs)
    return backend.get_item(target, key)


def _item_by_parts(
    backend: Backend, target: Any, key: Any, leaves: list[list[Any]], specs: list[Spec]
) -> Any:
    """An item of a list or tuple of lists, tuples or dicts of one structure: it has that structure too."""
    kind = list if isinstance(target, list) else tuple
    taken = [backend.get_item(kind(of_all), key) for of_all in zip(*leaves, strict=True)]
    made = unflatten(functools.reduce(with_sources_of, specs), taken)
    settle(made)
    return made


def owner_of_item(target: Any, key: Any, value: Any) -> Backend | None:
    """The backend that writes an item: that of something staged, or the one that is staging now."""
    return (_owner_of(target, key, value) or active()) if ACTIVE else None


def contains(item: Any, container: Any) -> Any:
    """`item in container` where one of them is staged; None where neither is."""
    backend = staged_by(container) or staged_by(item)
    if backend is None:
        if type(container) not in (tuple, list, ChosenList):
            return None
        backend = next((b for b in map(staged_by, container) if b is not None), None)
        if backend is None:
            return None
    return backend.contains(item, container)


def in_branch() -> bool:
    """Whether the backend at work is tracing a branch or a loop's body."""
    asks = getattr(active(), "in_branch", None)
    return asks is not None and asks()
