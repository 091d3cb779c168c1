"""Operations on the lists of a graph, as Python expressions with one placeholder per input.

`UPDATES` change a list in place; those in `RETURNING` return an item too. `QUERIES` compute a new value.
"""

from __future__ import annotations

import bisect
import collections
import heapq
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
    "insort_left": "insort_left({0}, {1})",
    "insort_right": "insort_right({0}, {1})",
}
RETURNING = frozenset(("pop", "popleft", "heappop", "heappushpop", "heapreplace"))

TEXT_METHODS = frozenset(
    "upper lower title capitalize casefold swapcase strip lstrip rstrip ljust rjust center zfill replace "
    "removeprefix removesuffix startswith endswith find rfind count isdigit isalpha isspace isupper "
    "islower".split()
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
    "min_position": "min_position({0})",
    "max_position": "max_position({0})",
}


def sorting_order(keys: list[Any], reverse: bool) -> list[int]:
    """Return the positions of the keys in sorted order.

    >>> sorting_order([3, 1, 1], False), sorting_order([3, 1, 1], True)
    ([1, 2, 0], [0, 1, 2])
    """
    return sorted(range(len(keys)), key=keys.__getitem__, reverse=reverse)


def permuted(values: Any, order: list[int]) -> list[Any]:
    return [values[i] for i in order]


def min_position(keys: list[Any]) -> int:
    return min(range(len(keys)), key=keys.__getitem__)


def max_position(keys: list[Any]) -> int:
    return max(range(len(keys)), key=keys.__getitem__)


FUNCTIONS: dict[str, Callable[..., Any]] = {
    f.__name__: f
    for f in (
        heapq.heapify, heapq.heappush, heapq.heappop, heapq.heappushpop, heapq.heapreplace, heapq.nsmallest,
        heapq.nlargest, bisect.bisect_left, bisect.bisect_right, bisect.insort_left, bisect.insort_right,
        collections.deque, sorting_order, permuted, min_position, max_position,
    )
}  # fmt: skip
