"""Methods of plain lists whose items or arguments are staged, and functions of `heapq`."""

from __future__ import annotations

import functools
import itertools
import operator
from collections import deque
from collections.abc import Callable
from typing import Any

from .. import staging
from ..backends import Backend, staged_by
from ..backends.builtins import DISPATCHING
from ..core.closures import nothing, set_nothing
from ..errors import AliasError, UnsupportedFunctionError, ValueNeededError
from ..values.selected_container import SelectedContainer
from ..values.structures import flatten
from . import keyed
from .iterators import LoopState, is_range
from .ordering import by_key, either, is_equal, raise_if, select
from .text import operand


def _position(backend: Backend, values: list[Any] | tuple[Any, ...], item: Any) -> Any:
    """Return the position of the first item that equals `item`, or -1."""
    place: Any = -1
    for i, value in reversed([*enumerate(values)]):
        place = select(backend, is_equal(value, item), i, place)
    return place


def _from_start(backend: Backend, position: Any, length: int) -> Any:
    """Return a position counted from the start."""
    return select(backend, position < 0, position + length, position)


def _checked(backend: Backend, position: Any, length: int, message: str) -> Any:
    """Return a position counted from the start, which raises an `IndexError` if it is out of bounds."""
    raise_if(backend, either(position < -length, position >= length), IndexError(message))
    return _from_start(backend, position, length)


def index(backend: Backend, values: list[Any] | tuple[Any, ...], item: Any, *bounds: Any) -> Any:
    """`values.index(item)`"""
    empty: Any = () if isinstance(values, tuple) else []
    if bounds:
        raise UnsupportedFunctionError(
            f"index() of a {type(empty).__name__} of staged values is called with bounds",
            why="the graph has no operation for it",
            remedy="search a slice of it",
        )
    place = _position(backend, values, item)
    try:
        empty.index(operand(item))
    except ValueError as error:
        raise_if(backend, place < 0, ValueError(backend.text(str(error))))
    return place


def count(backend: Backend, values: list[Any] | tuple[Any, ...], item: Any) -> Any:
    """`values.count(item)`"""
    total: Any = 0
    for value in values:
        total = select(backend, is_equal(value, item), total + 1, total)
    return total


def remove(backend: Backend, values: list[Any], item: Any) -> None:
    """`values.remove(item)`"""
    place = _position(backend, values, item)
    raise_if(backend, place < 0, ValueError("list.remove(x): x not in list"))
    _delete(backend, values, place)


def pop(backend: Backend, values: list[Any], position: Any = -1) -> Any:
    """`values.pop(position)`"""
    if staged_by(position) is None:
        return list.pop(values, position)
    place = _checked(backend, position, len(values), "pop index out of range")
    item = staging.get_item(values, position)
    _delete(backend, values, place)
    return item


def _delete(backend: Backend, values: list[Any], place: Any) -> None:
    values[:] = [select(backend, place <= i, values[i + 1], values[i]) for i in range(len(values) - 1)]


def insert(backend: Backend, values: list[Any], position: Any, item: Any) -> None:
    """`values.insert(position, item)`"""
    if staged_by(position) is None:
        list.insert(values, position, item)
        return
    length = len(values)
    place = _from_start(backend, position, length)
    made = [select(backend, place <= 0, item, values[0])] if values else [item]
    for i in range(1, length):
        later = select(backend, place == i, item, values[i])
        made.append(select(backend, place < i, values[i - 1], later))
    values[:] = [*made, select(backend, place < length, values[-1], item)] if values else made


def extend(backend: Backend, values: list[Any], items: Any) -> None:
    """`values.extend(items)`"""
    if staged_by(items) is None:
        list.extend(values, items)
        return
    make = getattr(backend, "staged_list", None)
    staged, other = staging.staged_in_place(backend, values, make) if make else (None, "")
    if staged is None or other:
        raise AliasError(
            f"a list to which {other or 'other code'} refers too is extended with a staged number of items",
            why="a list of staged length takes its place, to which other names would not refer",
            remedy="make a new list: values = values + items",
        )
    staged.extend(items)


def set_item(backend: Backend, values: list[Any], position: Any, item: Any) -> None:
    """`values[position] = item`, where the items are tuples, lists or dicts."""
    place = _checked(backend, position, len(values), "list assignment index out of range")
    values[:] = [select(backend, place == i, item, old) for i, old in enumerate(values)]


def write(backend: Backend, target: Any, key: Any, value: Any) -> Any:
    """`target[key] = value`, where `target` is a list or a dict, or one of several that an index selects.

    Return the target, or a staged dict in its place.
    """
    if isinstance(target, SelectedContainer):
        _write_to_selected(backend, target, key, value)
    elif isinstance(key, slice) or staging.owner_of(key) is None:
        target[key] = value
    elif isinstance(target, dict):
        return keyed.set_item(backend, target, key, value)
    elif _differ(target, value) and hasattr(backend, "staged_container"):
        staged = backend.staged_container(target)
        staged[key] = value
        return staged
    else:
        set_item(backend, target, key, value)
    return target


def _differ(values: list[Any], value: Any) -> bool:
    """Return whether a list in a list, or a value, differs from the others in structure."""
    specs = [flatten(part)[1] for part in (*values, value)]
    return any(part.kind is list for part in specs) and any(part != specs[0] for part in specs)


def _write_to_selected(backend: Backend, target: SelectedContainer, key: Any, value: Any) -> None:
    if target.choice is None:
        target[key] = value  # type: ignore[index] # raises
        return
    position, candidates = target.choice
    message = f"{type(candidates).__name__} index out of range"
    place = _checked(backend, position, len(candidates), message)
    for candidate in {id(c): c for c in candidates}.values():
        tests = [place == i for i, other in enumerate(candidates) if other is candidate]
        staging.if_stmt(
            backend,
            functools.reduce(operator.or_, tests),
            lambda candidate=candidate: write(backend, candidate, key, value),
            nothing,
            tuple,
            set_nothing,
            (),
            0,
            (candidate, value),
        )
    target.refresh()


def sort(backend: Backend, values: list[Any], *, key: Any = None, reverse: bool = False) -> None:
    """`values.sort(key=key, reverse=reverse)`"""
    if key is None:
        values[:] = backend.call_builtin(sorted, (list(values),), {"reverse": reverse})
    else:
        values[:] = by_key(backend, sorted, values, key=key, reverse=reverse)


def make_deque(backend: Backend, items: Any = (), maxlen: int | None = None) -> Any:
    """`collections.deque(items, maxlen)`

    Raises:
        ValueNeededError: `maxlen` is staged.
    """
    if staged_by(maxlen) is not None:
        raise ValueNeededError(
            "the maxlen of a deque is a staged value",
            why="it belongs to the type of the deque, which is fixed before the program runs",
            remedy="drop items where the deque is too long: if len(window) > size: window.popleft()",
        )
    if staged_by(items) is None:
        return deque(items, maxlen)
    values = backend.call_builtin(list, (items,), {})
    if isinstance(values, list):
        return deque(values, maxlen)
    return _operation(backend, "staged_deque", "deque", {})(values, maxlen)


def groupby(backend: Backend, values: Any, key: Callable[[Any], Any] | None = None) -> Any:
    """`itertools.groupby(values, key)`"""
    has_staged = staged_by(values) is not None or any(staged_by(v) is not None for v in flatten(values)[0])
    if not has_staged and key is not None and staging.is_tested_by_staged(values, key):
        keys = [key(value) for value in values]
        has_staged = any(staged_by(leaf) is not None for leaf in flatten(keys)[0])
        known = iter(keys)
        key = lambda _: next(known)  # noqa: E731 - in place of the function, which has been called
    if not has_staged:
        return itertools.groupby(values, key)
    return _operation(backend, "groups", "groupby", {})(values, key)


def updating(name: str) -> Callable[..., Any]:
    """Return the replacement for a function of `heapq` that changes a list."""

    def update(backend: Backend, target: list[Any], *values: Any, **options: Any) -> Any:
        return _operation(backend, "update_list", name, options)(name, target, *values)

    return update


def extremes(name: str, *, reverse: bool) -> Callable[..., Any]:
    """Return the replacement for `heapq.nsmallest` or `heapq.nlargest`."""

    def smallest(backend: Backend, count: Any, values: Any, key: Any = None) -> Any:
        if staged_by(count) is not None:
            _operation(backend, "", name, {})
        options = {"reverse": reverse}
        if key is not None:
            ordered = by_key(backend, sorted, values, key=key, **options)
        else:
            ordered = backend.call_builtin(sorted, (values,), options)
        return ordered[: max(count, 0)]

    return smallest


def _operation(backend: Backend, attribute: str, name: str, options: dict[str, Any]) -> Callable[..., Any]:
    operation = getattr(backend, attribute, None)
    if operation is None or options:
        given = f" with {', '.join(options)}" if options else ""
        raise UnsupportedFunctionError(
            f"{name}() of staged values{given} cannot be staged",
            why=f"the backend {backend.name!r} has no operation for it",
            remedy="use an array, and np.sort, np.argsort or np.searchsorted",
        )
    return operation


def reduce(backend: Backend, function: Callable[..., Any], items: Any, *initial: Any) -> Any:
    """`functools.reduce(function, items, *initial)`"""
    function = DISPATCHING.get(id(function), function)
    if staged_by(items) is None and not is_range(items):
        return functools.reduce(function, items, *initial)
    if not hasattr(items, "shape") and getattr(type(items), "python_class", None) is not list:
        items = DISPATCHING[id(list)](items)
    if not initial:
        error = TypeError("reduce() of empty iterable with no initial value")
        raise_if(backend, DISPATCHING[id(len)](items) == 0, error)
        initial = (staging.get_item(items, 0),)
        items = items[1:]
    state = LoopState(("the result",), *initial)

    def body(item: Any) -> None:
        state.values = (function(state.values[0], item),)

    get_state, set_state, names, _ = state.own
    staging.for_stmt(backend, items, None, body, get_state, set_state, names, {})
    return state.values[0]
