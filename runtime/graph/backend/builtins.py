"""Implementations of Python builtins for staged values."""

from __future__ import annotations

import functools
import math
from collections import deque
from collections.abc import Callable
from typing import Any

import numpy as np

from ... import staging
from ...backends import builtins as table
from ...backends.builtins import DISPATCHING
from ...backends.functional.staged_text import StagedField
from ...containers.ordering import by_key
from ...core.active_backends import active_backend
from ...core.closures import nothing, set_nothing
from ...errors import UnsupportedFunctionError
from ..ir.graph import Slot
from ..ir.type_merging import merge_types
from ..ir.types import ArrayType, DequeType, ListType, ObjectType, ScalarType, StagedType, TupleType
from ..rules.ufuncs import operator_type
from ..tracing import effects, recording
from ..tracing.containers import lists
from ..tracing.containers.iterables import (
    Groups,
    IterableSource,
    StagedIterable,
    element_parts,
    holds_objects,
    known_items,
    staged_enumerate,
    staged_range,
    staged_reversed,
    staged_zip,
)
from ..tracing.containers.staged_keyed import StagedKeyed
from ..tracing.containers.staged_lists import StagedDeque, StagedList
from ..tracing.numpy_views import as_array
from ..tracing.optional_lists import OptionalList
from ..tracing.recording import record
from ..tracing.tensor import Scalar, Staged, Tensor, characters, some

_FLOAT, _INT, _BOOL = ScalarType(float), ScalarType(int), ScalarType(bool)


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
        if kwargs.keys() == {"default"} and len(args) == 1 and isinstance(args[0], (StagedList, Tensor)):
            [values], default = args, kwargs["default"]
            has_items = _len(values) > 0
            return staging.if_exp(active_backend(), has_items, lambda: call(values), lambda: default, "")
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


def _conversion(kind: type) -> Callable[..., Any]:
    def call(*args: Any, **kwargs: Any) -> Any:
        if kwargs or len(args) != 1:
            raise UnsupportedFunctionError(
                f"{kind.__name__}() with more than one argument cannot be staged",
                why="the graph has no operation for it",
                remedy="pass the staged value alone",
            )
        [value] = args
        if isinstance(value, (list, tuple, dict, deque)):
            return _text("s")(value) if kind is str else kind(value)
        if isinstance(value, Tensor) and value.ndim and kind is not str and kind is not bool:
            shape = value.type.shape
            if None not in shape and math.prod(shape) != 1:
                raise TypeError("only 0-dimensional arrays can be converted to Python scalars")
        if kind is str:
            effects.check_print_options()
        return record(kind.__name__, (value,), ScalarType(kind), function=kind)

    return call


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
    else:
        for item in iterable:
            body(item)
    return results


def _text(conversion: str) -> Callable[[Any], Any]:
    def call(value: Any) -> Any:
        owner = value if isinstance(value, Staged) else staging.owner_of_text(value)
        return str(value) if owner is None else effects.staged_string(f"{StagedField(value, conversion)}")

    return call


def _isinstance(value: Any, kinds: Any) -> bool:
    python_class = _python_class(value)
    return isinstance(value, kinds) if python_class is None else issubclass(python_class, kinds)


def _type(value: Any, *args: Any) -> type:
    python_class = None if args else _python_class(value)
    return type(value, *args) if python_class is None else python_class


def _python_class(value: Any) -> type | None:
    """Return the run-time class of a staged value, or None for other values."""
    kind = getattr(value, "type", None)
    if isinstance(kind, ScalarType):
        return kind.python
    if isinstance(kind, ArrayType):
        return np.ndarray if kind.shape else kind.dtype.type
    if isinstance(value, StagedKeyed):
        return value.python_class
    if isinstance(kind, DequeType):
        return deque
    return list if isinstance(kind, ListType) else None


def _math(function: Callable[..., Any]) -> Callable[..., Any]:
    def call(*args: Any, **kwargs: Any) -> Any:
        if any(isinstance(a, (list, tuple)) for a in args):
            raise UnsupportedFunctionError(
                f"math.{function.__name__} of a list or tuple of staged values cannot be staged",
                why="the graph has no operation for it",
                remedy="use a NumPy function, such as np.sum, np.prod or np.linalg.norm of an array",
            )
        arguments = recording.Arguments()
        template, named = arguments.templates(args, kwargs)
        kind, op = _MATH_RESULTS.get(function, _FLOAT), f"math.{function.__name__}"
        return recording.record_call(op, function, arguments.inputs, template, named, kind)

    return call


_MATH_RESULTS: dict[Callable[..., Any], Any] = {
    **dict.fromkeys((math.isnan, math.isinf, math.isfinite, math.isclose), _BOOL),
    **dict.fromkeys((math.floor, math.ceil, math.trunc, math.gcd, math.lcm, math.factorial, math.comb), _INT),
    **dict.fromkeys((math.perm, math.isqrt), _INT),
    math.modf: (_FLOAT, _FLOAT),
    math.frexp: (_FLOAT, _INT),
}


def _numpy(function: Callable[..., Any]) -> Callable[..., Any]:
    return lambda *args, **kwargs: recording.call(function, args, kwargs)


def _array(function: Callable[..., Any]) -> Callable[..., Any]:
    return lambda value, *args, **kwargs: as_array(function, some(value, "iter"), *args, **kwargs)


def _numpy_scalar(kind: type) -> Callable[..., Any]:
    return lambda value: recording.cast(value, ArrayType(np.dtype(kind), getattr(value, "shape", ())))


IMPLEMENTATIONS: dict[Callable[..., Any], Callable[..., Any]] = {
    print: lambda *args, **kwargs: effects.record_print(args, kwargs),
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
    isinstance: _isinstance,
    repr: _text("r"),
    type: _type,
    **{kind: _conversion(kind) for kind in (int, float, bool, complex, str)},
    **{f: _math(f) for f in table.MATH},
    **{f: _numpy_scalar(f) if isinstance(f, type) else _numpy(f) for f in table.NUMPY},
    **{f: _array(f) for f in (np.array, np.asarray, np.ascontiguousarray)},
}


def call(function: Callable[..., Any], args: tuple, kwargs: dict[str, Any]) -> Any:
    """Call the staged form of a builtin."""
    if function not in _OF_CONTAINERS:
        is_of_items = function in _OF_ITEMS or (function in (min, max) and len(args) == 1)
        args = tuple([some(a, "iter") if is_of_items or isinstance(a, OptionalList) else a for a in args])
        args = tuple([a.as_list() if isinstance(a, StagedKeyed) else a for a in args])
        if is_of_items:
            args = tuple(map(characters, args))
    return IMPLEMENTATIONS[function](*args, **kwargs)


_OF_CONTAINERS = frozenset((len, bool, str, repr, print, type, isinstance))
"""The builtins that take a set or a dict as it is. The others iterate over its members or keys."""

_OF_ITEMS = frozenset((list, tuple, sorted, enumerate, zip, reversed, map, filter, any, all, sum))
"""The builtins that iterate over any argument, such as a text or an array that may be None."""
