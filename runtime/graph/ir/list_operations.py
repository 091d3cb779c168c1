"""Operations on the lists, deques, sets and dicts of a graph, as Python expressions.

Each input has a placeholder. `UPDATES` change their first input in place; those in `RETURNING` return an item
too. `QUERIES` compute a new value.
"""

from __future__ import annotations

import bisect
import collections
import copy
import functools
import heapq
import itertools
import operator
from collections.abc import Callable
from typing import Any

UPDATES = {
    "insert": "{0}.insert({1}, {2})",
    "remove": "{0}.remove({1})",
    "reverse": "{0}.reverse()",
    "sort": "{0}.sort(reverse={1})",
    "heapify": "heapify({0})",
    "heappush": "heappush({0}, {1})",
    "heappop": "heappop({0})",
    "heappushpop": "heappushpop({0}, {1})",
    "heapreplace": "heapreplace({0}, {1})",
    "append": "{0}.append({1})",
    "appendleft": "{0}.appendleft({1})",
    "extend": "{0}.extend({1})",
    "extendleft": "{0}.extendleft({1})",
    "pop": "{0}.pop()",
    "popleft": "{0}.popleft()",
    "rotate": "{0}.rotate({1})",
    "clear": "{0}.clear()",
    "assign": "{0}[:] = {1}",
    "insort_left": "insort_left({0}, {1})",
    "insort_right": "insort_right({0}, {1})",
    "add": "{0}.add({1})",
    "discard": "{0}.discard({1})",
    "update": "{0}.update({1})",
    "subtract": "{0}.subtract({1})",
    "intersection_update": "{0}.intersection_update({1})",
    "difference_update": "{0}.difference_update({1})",
    "symmetric_difference_update": "{0}.symmetric_difference_update({1})",
    "put": "{0}[{1}] = {2}",
    "delete": "del {0}[{1}]",
    "get_or_add": "{0}[{1}]",
    "setdefault": "{0}.setdefault({1}, {2})",
    "take": "{0}.pop({1})",
    "take_or": "{0}.pop({1}, {2})",
    "popitem": "{0}.popitem()",
    "set_attribute": "set_attribute({0}, {1}, {2})",
}
OF_VALUES = frozenset(("get_or_add", "setdefault", "take", "take_or"))
"""Updates of a dict that return a value."""
RETURNING = frozenset(("pop", "popleft", "heappop", "heappushpop", "heapreplace", "popitem")) | OF_VALUES

TEXT_METHODS = frozenset(
    "upper lower title capitalize casefold swapcase strip lstrip rstrip ljust rjust center zfill replace "
    "removeprefix removesuffix startswith endswith find rfind count isdigit isalpha isspace isupper "
    "islower split rsplit splitlines".split()
)
"""The methods of staged strings."""

QUERIES = {
    "list_index": "{0}.index({1})",
    "list_count": "{0}.count({1})",
    "bisect_left": "bisect_left({0}, {1})",
    "bisect_right": "bisect_right({0}, {1})",
    "nsmallest": "nsmallest({1}, {0})",
    "nlargest": "nlargest({1}, {0})",
    "sorting_order": "sorting_order({0}, {1})",
    "permuted": "permuted({0}, {1})",
    "groups": "groups({0}, {1})",
    "min_position": "min_position({0})",
    "max_position": "max_position({0})",
    "set_of": "set({0})",
    "set_intersection": "{0}.intersection({1})",
    "set_difference": "{0}.difference({1})",
    "set_symmetric_difference": "{0}.symmetric_difference({1})",
    "dict_of": "new_dict({factory}, {0})",
    "dict_get": "{0}[{1}]",
    "dict_get_or": "{0}.get({1}, {2})",
    "dict_values": "list({0}.values())",
    "dict_items": "list({0}.items())",
    "issubset": "{0}.issubset({1})",
    "issuperset": "{0}.issuperset({1})",
    "isdisjoint": "{0}.isdisjoint({1})",
}


def sorting_order(keys: list[Any], reverse: bool) -> list[int]:
    """Return the positions of the keys in sorted order.

    >>> sorting_order([3, 1, 1], False), sorting_order([3, 1, 1], True)
    ([1, 2, 0], [0, 1, 2])
    """
    return sorted(range(len(keys)), key=keys.__getitem__, reverse=reverse)


def permuted(values: Any, order: list[int]) -> list[Any]:
    return [values[i] for i in order]


def groups(keys: list[Any], values: Any) -> list[tuple[Any, list[Any]]]:
    """Return runs of values with equal keys, each with its key.

    >>> groups([1, 1, 2], "abc")
    [(1, ['a', 'b']), (2, ['c'])]
    """
    pairs = itertools.groupby(zip(keys, values, strict=True), operator.itemgetter(0))
    return [(key, [value for _, value in run]) for key, run in pairs]


def min_position(keys: list[Any]) -> int:
    return min(range(len(keys)), key=keys.__getitem__)


def max_position(keys: list[Any]) -> int:
    return max(range(len(keys)), key=keys.__getitem__)


DICTS: dict[str, Callable[[], dict[Any, Any]]] = {
    "dict": dict,
    "Counter": collections.Counter,
    **{
        k.__name__: functools.partial(collections.defaultdict, k)
        for k in (int, float, bool, complex, list, set)
    },
}


def new_dict(factory: str, pairs: Any) -> dict[Any, Any]:
    """Return a dict of a kind with the items of another one, or of a list of pairs.

    >>> new_dict("int", [("a", 1)])["b"]
    0
    """
    made = DICTS[factory]()
    for key, value in pairs.items() if isinstance(pairs, dict) else pairs:
        made[key] = value
    return made


def with_references(value: Any, conversion: Any, made: dict[int, Any] | None = None) -> Any:
    """Return a value in which the lists, deques, sets and dicts that a conversion names are new.

    What is one object in the value is one object in the result.

    >>> row = [1]
    >>> first, second = with_references([row, row], ((None,),))
    >>> first is second, first is row
    (True, False)
    """
    made = {} if made is None else made
    if conversion is None or id(value) in made:
        return made.get(id(value), value)
    if isinstance(conversion, dict):
        parts = {n: with_references(_attribute(value, n), c, made) for n, c in conversion.items()}
        return _with_attributes(value, parts)
    if isinstance(value, tuple):
        return tuple([with_references(v, inner, made) for v, inner in zip(value, conversion, strict=True)])
    [inner] = conversion
    made[id(value)] = result = value.copy()
    if isinstance(value, dict):
        result.update([with_references(pair, inner, made) for pair in value.items()])
    elif inner is not None:
        result.clear()
        result.extend([with_references(item, inner, made) for item in value])
    return result


def _attribute(value: Any, name: Any) -> Any:
    return value[name] if isinstance(value, dict) else getattr(value, name)


def _with_attributes(value: Any, attributes: dict[Any, Any]) -> Any:
    """Return a copy of an object with other attributes."""
    if isinstance(value, tuple):
        return value._replace(**attributes)  # type: ignore[attr-defined]
    result = copy.copy(value)
    for name, attribute in attributes.items():
        if isinstance(value, dict):
            result[name] = attribute
        else:
            object.__setattr__(result, name, attribute)
    return result


FUNCTIONS: dict[str, Callable[..., Any]] = {
    "set_attribute": object.__setattr__
} | {
    f.__name__: f
    for f in (
        heapq.heapify, heapq.heappush, heapq.heappop, heapq.heappushpop, heapq.heapreplace, heapq.nsmallest,
        heapq.nlargest, bisect.bisect_left, bisect.bisect_right, bisect.insort_left, bisect.insort_right,
        collections.deque, sorting_order, permuted, groups, min_position, max_position, new_dict,
        with_references,
    )
}  # fmt: skip
