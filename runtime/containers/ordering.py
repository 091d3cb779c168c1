"""Comparison, sorting and selection of values of which parts are staged, and errors under staged tests."""

from __future__ import annotations

import functools
import operator
from collections import OrderedDict, deque
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .. import staging
from ..backends import Backend, staged_by
from ..core.closures import nothing, set_nothing
from ..staging.branches.exceptions import raise_in_program, refuse_caught
from ..values.structures import flatten


def select(backend: Backend, test: Any, first: Any, second: Any) -> Any:
    """Return `first` if a test is true, else `second`."""
    if staged_by(test) is None:
        return first if test else second
    return staging.if_exp(backend, test, lambda: first, lambda: second, "", (first, second))


def both(first: Any, second: Any) -> Any:
    """Return whether two truths, which may be staged, are both true; `second` has no effects."""
    own = getattr(staged_by(first) or staged_by(second), "both", None)
    return first & second if own is None else own(first, second)


def either(first: Any, second: Any) -> Any:
    """Return whether one of two truths, which may be staged, is true; `second` has no effects."""
    own = getattr(staged_by(first) or staged_by(second), "either", None)
    return first | second if own is None else own(first, second)


def raise_if(backend: Backend, test: Any, error: Exception) -> None:
    fail = getattr(backend, "fail", None)
    if fail is not None and test is not False:
        refuse_caught(error)
        fail(test, error)
    elif staged_by(test) is not None:
        staging.if_stmt(backend, test, lambda: raise_in_program(error), nothing, tuple, set_nothing, (), 0)
    elif test:
        raise_in_program(error)


COMPARISONS: dict[str, Callable[[Any, Any], Any]] = {
    "==": operator.eq, "!=": operator.ne, "<": operator.lt, "<=": operator.le,
    ">": operator.gt, ">=": operator.ge,
}  # fmt: skip


def compare(first: Any, sign: str, second: Any) -> Any:
    """Compare two values, of which parts may be staged.

    Tuples, lists and deques are compared item by item, up to the first pair that is known to differ, and
    so are the values of dicts that have the same keys.
    """
    if isinstance(first, dict) and isinstance(second, dict) and sign in ("==", "!="):
        return _compare_dicts(first, sign, second)
    if _sequence_class(first) is None or _sequence_class(first) is not _sequence_class(second):
        return COMPARISONS[sign](first, second)
    if sign in ("==", "!=") and len(first) != len(second):
        return sign == "!="
    if {*map(type, first), *map(type, second)} <= _PLAIN:
        return COMPARISONS[sign](first, second)
    if sign not in ("==", "!="):
        return _compare_items(first, sign, second)
    is_same = _compare_items(first, "==", second)
    backend = staged_by(is_same)
    is_other = not is_same if backend is None else backend.not_(is_same)
    return is_other if sign == "!=" else is_same if backend is None else backend.not_(is_other)


_PLAIN = {bool, bytes, complex, float, int, str, type(None)}


def _compare_dicts(first: dict[Any, Any], sign: str, second: dict[Any, Any]) -> Any:
    kinds = {type(first).__eq__, type(second).__eq__}
    if not kinds <= {dict.__eq__, OrderedDict.__eq__}:
        return COMPARISONS[sign](first, second)
    keys, others = dict.keys(first), dict.keys(second)
    if keys != others or (kinds == {OrderedDict.__eq__} and [*keys] != [*others]):
        return sign == "!="
    return compare([*dict.values(first)], sign, [dict.__getitem__(second, key) for key in keys])


def _sequence_class(value: Any) -> type | None:
    """Return tuple, list or deque if its comparisons compare a value, else None."""
    sequences: tuple[Any, ...] = (tuple, list, deque)
    return next((kind for kind in sequences if type(value).__eq__ is kind.__eq__), None)


def _compare_items(first: Sequence[Any], sign: str, second: Sequence[Any]) -> Any:
    undecided = []
    result: Any = COMPARISONS[sign](len(first), len(second))
    for one, other in zip(first, second, strict=False):
        is_same = one is other or _truth(compare(one, "==", other))
        if is_same is False:
            result = False if sign == "==" else compare(one, sign, other)
            break
        if is_same is not True:
            undecided.append((one, other, is_same))
    for one, other, is_same in reversed(undecided):
        equal = is_same if result is True else result is not False and both(is_same, result)
        if sign == "==":
            result = equal
        else:
            decided = _truth(compare(one, sign[0], other))
            result = decided if equal is False else either(decided, equal)
    return result


def _truth(value: Any) -> Any:
    backend = staged_by(value)
    if backend is None:
        return bool(value)
    return backend.not_(backend.not_(value)) if getattr(value, "ndim", 0) else value


def is_less(first: Any, second: Any) -> Any:
    return compare(first, "<", second)


def is_equal(first: Any, second: Any) -> Any:
    return compare(first, "==", second)


def by_key(
    backend: Backend, function: Callable[..., Any], *values: Any, key: Callable[[Any], Any], **options: Any
) -> Any:
    """Call `sorted`, `min` or `max` with a key."""
    if len(values) == 1:
        [iterable] = values
        own = getattr(backend, "by_key", None)
        if own is not None and staged_by(iterable) is not None:
            return own(function, iterable, key, **options)
        values = tuple(iterable)
    keys = [key(value) for value in values]
    if not _holds_staged(keys):
        order = range(len(keys))
        if function is sorted:
            return [values[i] for i in sorted(order, key=keys.__getitem__, **options)]
        if not keys:
            return function([], **options)
        return values[function(order, key=keys.__getitem__)]
    if function is sorted:
        order = sorting_order(backend, keys, **options)  # type: ignore[assignment]
        return [staging.get_item(values, i) for i in order]
    best, best_key = values[0], keys[0]  # a default is for no values, whose keys are not staged
    for value, this in zip(values[1:], keys[1:], strict=True):
        better = is_less(this, best_key) if function.__name__ == "min" else is_less(best_key, this)
        if staged_by(better) is None:
            best, best_key = (value, this) if better else (best, best_key)
            continue
        best, best_key = select(backend, better, (value, this), (best, best_key))
    return best


def _holds_staged(values: Any) -> bool:
    return any(staged_by(leaf) is not None for leaf in flatten(values)[0])


def sorting_order(backend: Backend, keys: Sequence[Any], *, reverse: bool = False) -> Sequence[Any]:
    """Return the positions of staged keys in sorted order. Keys that are equal keep their order."""
    own = getattr(backend, "sorting_order", None)
    if own is not None:
        return own(keys, reverse)
    argsort = getattr(backend, "argsort", None) or functools.partial(_argsort, backend)
    last = len(keys) - 1
    columns = [*zip(*keys, strict=True)] if isinstance(keys[0], tuple) else [keys]
    order: Any = None
    for column in reversed(columns):
        values = backend.call_builtin(np.stack, (column[::-1] if reverse else [*column],), {})
        values = values if order is None else backend.get_item(values, order)
        moved = argsort(values)
        order = moved if order is None else backend.get_item(order, moved)
    positions = [order[i] for i in range(len(keys))]
    return [last - i for i in reversed(positions)] if reverse else positions


def _argsort(backend: Backend, keys: Any) -> Any:
    return backend.call_builtin(np.argsort, (keys,), {"kind": "stable"})
