"""Python's builtins on staged values: recorded, so that they run on the values as Python runs them."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from .. import builtins as table
from .. import staging
from ..empty import nothing, set_nothing
from ..errors import UnsupportedFunctionError, ValueNeededError
from . import lists, record, texts
from .ir import Slot
from .iterables import (
    Source,
    StagedIterable,
    parts_of,
    staged_enumerate,
    staged_range,
    staged_reversed,
    staged_zip,
)
from .merging import merge_types
from .staged import Scalar, Staged, StagedList, Tensor
from .types import ArrayType, ListType, ScalarType, StagedType, TupleType
from .views import as_array


def _print(*args: Any, **kwargs: Any) -> None:
    texts.printed(args, kwargs)


def _len(value: Any) -> Any:
    if isinstance(value, Tensor):
        if not value.ndim:
            raise TypeError("len() of unsized object")
        return value.dimension(0)
    if isinstance(value, (list, tuple)):
        return len(value)
    if isinstance(value, StagedIterable):
        if value.op != "range":
            raise TypeError(f"object of type '{value.op}' has no len()")
        return record.wrap(record.add("len", (value.to_node(),), ScalarType(int), function=len))
    if isinstance(value, Scalar) and value.type.python is not str:
        raise TypeError(f"object of type '{value.type}' has no len()")
    return record.wrap(record.add("len", (value,), ScalarType(int), function=len))


def _element(value: Any) -> StagedType:
    parts, structure = parts_of(value)
    return _structured(structure, parts)


def _structured(structure: Any, parts: list[StagedType]) -> StagedType:
    if isinstance(structure, tuple):
        return TupleType(tuple(_structured(s, parts) for s in structure))
    return parts[structure]


def _source(value: Any) -> Any:
    return value.to_node() if isinstance(value, StagedIterable) else value


def _is_iterable(value: Any) -> bool:
    return isinstance(value, (StagedIterable, StagedList)) or (isinstance(value, Tensor) and bool(value.ndim))


def _of_iterable(
    function: Callable[..., Any], result: Callable[[StagedType], StagedType]
) -> Callable[..., Any]:
    """A builtin that consumes one iterable."""

    def call(*args: Any, **kwargs: Any) -> Any:
        if len(args) == 1 and not kwargs and _is_iterable(args[0]):
            kind = result(_element(args[0]))
            return record.wrap(record.add(function.__name__, (_source(args[0]),), kind, function=function))
        return _unrolled(function, args, kwargs)

    return call


def _unrolled(function: Callable[..., Any], args: tuple, kwargs: dict[str, Any]) -> Any:
    """A builtin over a plain list of staged values, or with a function: by its own definition."""
    unrolled = _DEFINITIONS.get(function)
    if unrolled is None:
        raise UnsupportedFunctionError(
            f"{function.__name__}() with these arguments cannot be staged",
            why="the graph has no operation for it",
            remedy="write it as a 'for' loop, or use a function of NumPy",
        )
    return unrolled(*args, **kwargs)


def _sum(values: Any, start: Any = 0) -> Any:
    if _is_iterable(values):
        kind = merge_types(_sum_type(_element(values)), _node_type(start))
        return record.wrap(record.add("sum", (_source(values), start), kind, function=sum))
    for value in values:
        start = start + value
    return start


def _node_type(value: Any) -> StagedType:
    return record.to_node(value).type


def _sum_type(element: StagedType) -> StagedType:
    return record.operator_type("add", (ScalarType(int), element))


def _extreme(function: Callable[..., Any]) -> Callable[..., Any]:
    def call(*args: Any, **kwargs: Any) -> Any:
        if kwargs.keys() == {"key"}:
            return _extreme_by_key(function, args if len(args) > 1 else tuple(args[0]), kwargs["key"])
        if kwargs:
            raise UnsupportedFunctionError(
                f"{function.__name__}() with {', '.join(kwargs)} cannot be staged",
                why="the graph has no operation for it",
                remedy=f"leave {', '.join(kwargs)} out, and test the length first",
            )
        if len(args) == 1 and _is_iterable(args[0]):
            element = _element(args[0])
            return record.wrap(record.add(function.__name__, (_source(args[0]),), element, function=function))
        values = args if len(args) > 1 else tuple(args[0])
        if any(isinstance(value, (tuple, list)) for value in values):
            return _extreme_by_key(function, values, lambda value: value)
        kind = _node_type(values[0])
        for value in values[1:]:
            kind = merge_types(kind, _node_type(value))
        return record.wrap(record.add(function.__name__, values, kind, function=function))

    return call


def _extreme_by_key(function: Callable[..., Any], values: tuple, key: Callable[[Any], Any]) -> Any:
    backend = staging.ACTIVE[-1]
    best, best_key = values[0], key(values[0])
    for value in values[1:]:
        this_key = key(value)
        better = _is_less(this_key, best_key) if function is min else _is_less(best_key, this_key)
        if not isinstance(better, Staged):
            best, best_key = (value, this_key) if better else (best, best_key)
            continue
        pair = staging.if_exp(
            backend,
            better,
            lambda v=value, k=this_key: (v, k),
            lambda v=best, k=best_key: (v, k),
            function.__name__,
        )
        best, best_key = pair
    return best


def _is_less(first: Any, second: Any) -> Any:
    """Whether one is less than the other; of tuples and lists, the first parts that differ are."""
    if not (isinstance(first, (tuple, list)) and type(first) is type(second)):
        return first < second
    made: Any = len(first) < len(second)
    for one, other in reversed(list(zip(first, second, strict=False))):
        made = _is_less(one, other) | (_is_equal(one, other) & made)
    return made


def _is_equal(first: Any, second: Any) -> Any:
    if not (isinstance(first, (tuple, list)) and type(first) is type(second)):
        return first == second
    made: Any = len(first) == len(second)
    for one, other in zip(first, second, strict=False):
        made = _is_equal(one, other) & made
    return made


def _any_of(values: Any) -> Any:
    found: Any = False
    for value in values:
        if isinstance(value, Staged):
            found = record.wrap(record.add("either", (found, value), ScalarType(bool)))
        elif value:
            return True
    return _bool(found)


def _all_of(values: Any) -> Any:
    failed: Any = False
    for value in values:
        if isinstance(value, Staged):
            false = record.wrap(record.add("not_", (value,), ScalarType(bool)))
            failed = record.wrap(record.add("either", (failed, false), ScalarType(bool)))
        elif not value:
            return False
    return (
        not failed
        if isinstance(failed, bool)
        else record.wrap(record.add("not_", (failed,), ScalarType(bool)))
    )


def _sorted_of(values: Any, *, key: Any = None, reverse: bool = False) -> Any:
    if key is not None:
        raise UnsupportedFunctionError(
            "sorted() with a key cannot be staged",
            why="the graph has no operation that calls a function for each item and sorts by it",
            remedy="index by np.argsort of the keys: x[np.argsort(-x)]",
        )
    values = values if _is_iterable(values) else list(values)
    source = lists.staged_list(values) if isinstance(values, list) else values
    attrs: dict[str, Any] = {"function": sorted, "args": (Slot(0),), "kwargs": {"reverse": reverse}}
    made = record.wrap(record.add("sorted", (_source(source),), ListType(_element(source)), **attrs))
    return [made[i] for i in range(len(values))] if isinstance(values, list) else made


def _conversion(kind: type) -> Callable[..., Any]:
    def call(*args: Any, **kwargs: Any) -> Any:
        if kwargs or len(args) != 1:
            raise UnsupportedFunctionError(
                f"{kind.__name__}() of a staged value with more than one argument cannot be staged",
                why="the graph has no operation for it",
                remedy="give it the staged value alone",
            )
        [value] = args
        if isinstance(value, (list, tuple)):
            return kind(value)
        if isinstance(value, Tensor) and value.ndim and kind is not str and kind is not bool:
            known = [d for d in value.type.shape if d is not None]
            if len(known) == value.ndim and math.prod(known) != 1:
                raise TypeError("only 0-dimensional arrays can be converted to Python scalars")
        return record.wrap(record.add(kind.__name__, (value,), ScalarType(kind), function=kind))

    return call


def _list(value: Any) -> Any:
    if isinstance(value, StagedList):
        return value.copy()
    if _is_iterable(value):
        source = record.add("iterate", (_source(value),), ListType(_element(value)), function=list)
        return record.wrap(source)
    return list(value)


def _tuple(value: Any) -> Any:
    if isinstance(value, (list, tuple)):
        return tuple(value)
    if isinstance(value, Tensor) and value.type.shape[:1] != (None,):
        return tuple(value)
    return record.wrap(record.add("iterate", (_source(value),), ListType(_element(value)), function=tuple))


def _of_items(function: Any, staged: Callable[..., Any]) -> Callable[..., Any]:
    """Python's own function where no iterable is staged: the items of a list are known one by one."""

    def call(*args: Any, **kwargs: Any) -> Any:
        iterables, rest = (args[:1], args[1:]) if function is enumerate else (args, ())
        is_staged = any(
            _is_iterable(i) or isinstance(i, Source) for i in iterables
        ) or record.contains_staged((*rest, kwargs))
        return (staged if is_staged else function)(*args, **kwargs)

    return call


def _map(function: Callable[..., Any], *iterables: Any) -> Any:
    if not any(map(_is_iterable, iterables)):
        return map(function, *iterables)
    source = iterables[0] if len(iterables) == 1 else staged_zip(*iterables)
    made = lists.staged_list([])
    backend = staging.ACTIVE[-1]

    def body(item: Any) -> None:
        made.append(function(*item) if len(iterables) > 1 else function(item))

    staging.for_stmt(backend, source, None, body, tuple, set_nothing, (), {})
    return made


def _filter(function: Callable[..., Any] | None, iterable: Any) -> Any:
    made = lists.staged_list([])
    backend = staging.ACTIVE[-1]

    def body(item: Any) -> None:
        kept = item if function is None else function(item)
        if isinstance(kept, Staged):
            staging.if_stmt(backend, kept, lambda: made.append(item), nothing, tuple, set_nothing, (), 0)
        elif kept:
            made.append(item)

    if _is_iterable(iterable):
        staging.for_stmt(backend, iterable, None, body, tuple, set_nothing, (), {})
    else:
        for item in iterable:
            body(item)
    return made


def _repr(value: Any) -> Any:
    raise ValueNeededError(
        "repr() of what is staged, or holds something staged, is asked",
        why="that would be text about the trace, not about the value that the program has when it runs",
        remedy="use an f-string: f'{x!r}'",
    )


def _isinstance(value: Any, kinds: Any) -> bool:
    kinds = kinds if isinstance(kinds, tuple) else (kinds,)
    kind = getattr(value, "type", None)
    if isinstance(kind, ScalarType):
        return issubclass(kind.python, kinds)
    if isinstance(kind, ArrayType):
        return issubclass(np.ndarray if kind.shape else kind.dtype.type, kinds)
    if isinstance(kind, ListType):
        return issubclass(list, kinds)
    return isinstance(value, kinds)


def _type(value: Any, *args: Any) -> type:
    kind = getattr(value, "type", None)
    if args or not isinstance(kind, (ScalarType, ArrayType, ListType)):
        return type(value, *args)
    if isinstance(kind, ScalarType):
        return kind.python
    if isinstance(kind, ListType):
        return list
    return np.ndarray if kind.shape else kind.dtype.type


def _math(function: Callable[..., Any]) -> Callable[..., Any]:
    def call(*args: Any, **kwargs: Any) -> Any:
        if any(isinstance(a, (list, tuple)) for a in args):
            raise UnsupportedFunctionError(
                f"math.{function.__name__} is called on a list or tuple of staged values",
                why="the graph has no operation for it",
                remedy="use NumPy's, such as np.sum, np.prod or np.linalg.norm of an array",
            )
        taken = record.Arguments()
        template, _ = taken.take(args)
        named, _ = taken.take(kwargs)
        kind = _MATH_RESULTS.get(function, _FLOAT)
        return record.recorded(f"math.{function.__name__}", function, taken.inputs, template, named, kind)

    return call


_FLOAT, _INT, _BOOL = ScalarType(float), ScalarType(int), ScalarType(bool)
_MATH_RESULTS: dict[Callable[..., Any], Any] = {
    **dict.fromkeys((math.isnan, math.isinf, math.isfinite, math.isclose), _BOOL),
    **dict.fromkeys((math.floor, math.ceil, math.trunc, math.gcd, math.lcm, math.factorial, math.comb), _INT),
    **dict.fromkeys((math.perm, math.isqrt), _INT),
    math.modf: (_FLOAT, _FLOAT),
    math.frexp: (_FLOAT, _INT),
}


def _numpy(function: Callable[..., Any]) -> Callable[..., Any]:
    return lambda *args, **kwargs: record.call(function, args, kwargs)


def _numpy_scalar(kind: type) -> Callable[..., Any]:
    return lambda value: record.converted(value, ArrayType(np.dtype(kind), getattr(value, "shape", ())))


_DEFINITIONS: dict[Callable[..., Any], Callable[..., Any]] = {any: _any_of, all: _all_of, sorted: _sorted_of}

IMPLEMENTATIONS: dict[Callable[..., Any], Callable[..., Any]] = {
    print: _print,
    len: _len,
    range: staged_range,
    enumerate: _of_items(enumerate, staged_enumerate),
    zip: _of_items(zip, staged_zip),
    reversed: _of_items(reversed, staged_reversed),
    min: _extreme(min),
    max: _extreme(max),
    sum: _sum,
    any: _of_iterable(any, lambda _: ScalarType(bool)),
    all: _of_iterable(all, lambda _: ScalarType(bool)),
    sorted: _of_iterable(sorted, ListType),
    map: _map,
    filter: _filter,
    list: _list,
    tuple: _tuple,
    isinstance: _isinstance,
    repr: _repr,
    type: _type,
    **{kind: _conversion(kind) for kind in (int, float, bool, complex, str)},
    **{f: _math(f) for f in table.MATH},
    **{f: _numpy_scalar(f) if isinstance(f, type) else _numpy(f) for f in table.NUMPY},
    **{f: functools.partial(as_array, f) for f in (np.array, np.asarray, np.ascontiguousarray)},
}


def _bool(value: Any) -> Any:
    return value if isinstance(value, bool) else record.wrap(record.to_node(value))
