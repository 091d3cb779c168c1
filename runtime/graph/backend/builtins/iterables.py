"""Builtins that make, consume or measure iterables."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from .... import staging
from ....backends.builtins import DISPATCHING
from ....containers.ordering import by_key
from ....core.active_backends import active_backend
from ....core.closures import nothing, set_nothing
from ....errors import UnsupportedFunctionError
from ...ir.graph import Slot
from ...ir.type_merging import merge_types
from ...ir.types import ListType, ObjectType, ScalarType, StagedType, TupleType
from ...rules.ufuncs import operator_type
from ...tracing import recording
from ...tracing.containers import lists
from ...tracing.containers.iterables import (
    Groups,
    IterableSource,
    StagedIterable,
    element_parts,
    holds_objects,
    iterated_sources,
    known_items,
    staged_enumerate,
    staged_range,
    staged_reversed,
    staged_zip,
)
from ...tracing.containers.staged_dicts import viewed_containers
from ...tracing.containers.staged_lists import StagedDeque, StagedList
from ...tracing.recording import record
from ...tracing.tensor import Scalar, Staged, Tensor, some

_INT, _BOOL = ScalarType(int), ScalarType(bool)


def _len(value: Any) -> Any:
    value = some(value, "len")
    if isinstance(value, Tensor):
        if not value.ndim:
            raise TypeError("len() of unsized object")
        return value.dimension(0)
    if isinstance(value, (list, tuple)):
        return len(value)
    if isinstance(value, StagedIterable):
        if value.op != "range":
            raise TypeError(f"object of type '{value.op}' has no len()")
    elif isinstance(value, Scalar) and value.type.python is not str:
        raise TypeError(f"object of type '{value.type}' has no len()")
    return record("len", (_iterable_node(value),), _INT, function=len)


def _element_type(value: Any, *, is_bound: bool = False) -> StagedType:
    parts, structure = element_parts(value)
    kind = _structured_type(structure, parts)
    return getattr(kind, "held", kind) if is_bound else kind


def _list_of(value: Any) -> ListType:
    """Return the type of a list of the items of a staged iterable."""
    return ListType(value.type.element if isinstance(value, StagedList) else _element_type(value))


def _structured_type(structure: Any, parts: list[StagedType]) -> StagedType:
    if isinstance(structure, tuple):
        return TupleType(tuple(_structured_type(s, parts) for s in structure))
    return parts[structure]


def _iterable_node(value: Any) -> Any:
    """Return the node of a staged iterable, and any other value unchanged."""
    if not isinstance(value, StagedIterable):
        return value
    if isinstance(value, Groups):
        value.refuse()
    value.mark_consumed()
    return value.to_node()


def _is_staged_iterable(value: Any) -> bool:
    return isinstance(value, (StagedIterable, StagedList)) or (isinstance(value, Tensor) and bool(value.ndim))


def _iterable_builtin(
    function: Callable[..., Any],
    result_type: Callable[[Any], StagedType],
    unrolled: Callable[..., Any],
) -> Callable[..., Any]:
    """Stage a builtin that consumes one iterable, or call `unrolled` if the iterable is plain."""

    def call(*args: Any, **kwargs: Any) -> Any:
        if len(args) == 1 and not kwargs and _is_staged_iterable(args[0]):
            kind = result_type(args[0])
            return record(function.__name__, (_iterable_node(args[0]),), kind, function=function)
        return unrolled(*args, **kwargs)

    return call


def _sum(values: Any, start: Any = 0) -> Any:
    if isinstance(values, StagedList) and isinstance(values.type.element, _COMPOUND):
        return _sum_of_compounds(values, start)
    if _is_staged_iterable(values):
        total = operator_type("add", (_INT, _element_type(values, is_bound=True)))
        kind = merge_types(total, _node_type(start))
        return record("sum", (_iterable_node(values), start), kind, function=sum)
    for value in values:
        start = start + value
    return start


_COMPOUND = (ListType, TupleType, ObjectType)


def _sum_of_compounds(values: StagedList, start: Any) -> Any:
    kind = values.type.element
    first = lists.element_node(start)
    if not isinstance(first.type, ListType) or not isinstance(kind, ListType):
        raise UnsupportedFunctionError(
            f"sum() of a staged list of {kind} cannot be staged",
            why="the graph adds numbers, arrays and lists",
            remedy="add the items in a loop: for item in items: total = total + item",
        )
    return record("sum", (values, first), merge_types(kind, first.type), function=sum)


def _node_type(value: Any) -> StagedType:
    return recording.to_node(value).type


def _extreme(function: Callable[..., Any]) -> Callable[..., Any]:
    def call(*args: Any, **kwargs: Any) -> Any:
        if "default" in kwargs and isinstance(args[0], StagedIterable):
            args = _list(args[0]), *args[1:]
        if kwargs.keys() == {"default"} and len(args) == 1 and isinstance(args[0], (StagedList, Tensor)):
            [values], default = args, kwargs["default"]
            has_items = _len(values) > 0
            return staging.if_exp(active_backend(), has_items, lambda: call(values), lambda: default, "")
        if kwargs.keys() == {"default"} and len(args) == 1 and isinstance(args[0], (list, tuple)):
            return call(args[0]) if args[0] else kwargs["default"]
        if kwargs:
            raise UnsupportedFunctionError(
                f"{function.__name__}() with {', '.join(kwargs)} cannot be staged",
                why="the graph has no operation for it",
                remedy=f"test the length first, and call {function.__name__}() without {', '.join(kwargs)}",
            )
        if len(args) == 1 and _is_staged_iterable(args[0]):
            iterable = _iterable_node(args[0])
            return record(function.__name__, (iterable,), _element_type(args[0]), function=function)
        values = args if len(args) > 1 else tuple(args[0])
        if len(values) == 1:
            return values[0]
        if any(isinstance(value, (tuple, list)) for value in values):
            return by_key(active_backend(), function, *values, key=lambda value: value)
        values = tuple(map(some, values))
        kind = functools.reduce(merge_types, map(_node_type, values))
        return record(function.__name__, values, kind, function=function)

    return call


def _any(values: Any) -> Any:
    result: Any = False
    for value in values:
        if isinstance(value, Staged):
            result = record("either", (result, value), _BOOL)
        elif value:
            return True
    return result


def _not(value: Any) -> Any:
    return record("not_", (value,), _BOOL) if isinstance(value, Staged) else not value


def _all(values: Any) -> Any:
    return _not(_any(map(_not, values)))


def _sorted(values: Any, *, key: Any = None, reverse: bool = False) -> Any:
    if key is not None:
        return by_key(active_backend(), sorted, values, key=key, reverse=reverse)
    values = values if _is_staged_iterable(values) else list(values)
    source = lists.staged_list(values) if isinstance(values, list) else values
    attrs: dict[str, Any] = {"function": sorted, "args": (Slot(0),), "kwargs": {"reverse": reverse}}
    result = record("sorted", (_iterable_node(source),), _list_of(source), **attrs)
    return [result[i] for i in range(len(values))] if isinstance(values, list) else result


def _list(value: Any) -> Any:
    if isinstance(value, StagedList) and not isinstance(value, StagedDeque):
        return value.copy()
    return _iterate(value, list) if _is_staged_iterable(value) else list(value)


def _iterate(value: Any, kind: type) -> Any:
    return record("iterate", (_iterable_node(value),), _list_of(value), function=kind)


def _tuple(value: Any) -> Any:
    if isinstance(value, (list, tuple)):
        return tuple(value)
    if isinstance(value, Tensor) and value.type.shape[:1] != (None,):
        return tuple(value)
    return _iterate(value, tuple)


def _iterator_builtin(function: Any, staged: Callable[..., Any]) -> Callable[..., Any]:
    """Call `staged` if an iterable or an option is staged, and Python's own function otherwise."""

    def call(*args: Any, **kwargs: Any) -> Any:
        if function is zip:
            args = tuple([[*arg] if isinstance(arg, str) else arg for arg in args])
        iterables, options = (args[:1], args[1:]) if function is enumerate else (args, ())
        is_staged = any(_is_staged_iterable(i) or isinstance(i, IterableSource) for i in iterables)
        if is_staged and function in (enumerate, zip) and any(map(holds_objects, iterables)):
            known = [*map(known_items, iterables)]
            if all(isinstance(items, (list, tuple)) for items in known):
                return function(*known, *options, **kwargs)
        is_staged = is_staged or recording.contains_staged((*options, kwargs))
        return (staged if is_staged else function)(*args, **kwargs)

    return call


def _map(function: Callable[..., Any], *iterables: Any) -> Any:
    if not any(map(_is_staged_iterable, iterables)):
        return map(function, *iterables)
    source = iterables[0] if len(iterables) == 1 else staged_zip(*iterables)
    results = lists.staged_list([])
    function = DISPATCHING.get(id(function), function)  # such as `len`, which is no converted code

    def body(item: Any) -> None:
        results.append(function(*item) if len(iterables) > 1 else function(item))

    staging.for_stmt(active_backend(), source, None, body, tuple, set_nothing, (), {})
    return _taken(results, source)


def _taken(results: Any, source: Any) -> Any:
    """Return the items of `map` or `filter`, for a loop that may change what they come from."""
    results.taken_from = [*iterated_sources(source), *viewed_containers(source)]
    return results


def _filter(function: Callable[..., Any] | None, iterable: Any) -> Any:
    results = lists.staged_list([])
    backend = active_backend()

    def body(item: Any) -> None:
        condition = item if function is None else function(item)
        if isinstance(condition, Staged):
            staging.if_stmt(
                backend, condition, lambda: results.append(item), nothing, tuple, set_nothing, (), 0
            )
        elif condition:
            results.append(item)

    if _is_staged_iterable(iterable):
        staging.for_stmt(backend, iterable, None, body, tuple, set_nothing, (), {})
        return _taken(results, iterable)
    for item in iterable:
        body(item)
    return results


IMPLEMENTATIONS: dict[Callable[..., Any], Callable[..., Any]] = {
    len: _len,
    range: staged_range,
    enumerate: _iterator_builtin(enumerate, staged_enumerate),
    zip: _iterator_builtin(zip, staged_zip),
    reversed: _iterator_builtin(reversed, staged_reversed),
    min: _extreme(min),
    max: _extreme(max),
    sum: _sum,
    any: _iterable_builtin(any, lambda _: _BOOL, _any),
    all: _iterable_builtin(all, lambda _: _BOOL, _all),
    sorted: _iterable_builtin(sorted, _list_of, _sorted),
    map: _map,
    filter: _filter,
    list: _list,
    tuple: _tuple,
}
