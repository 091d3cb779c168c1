"""Whether two graphs are the same: node by node, attribute by attribute."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest
from typing import Any

import numpy as np

from .ir import Graph, Node, Slot

UNCOMPARED = frozenset(("source", "name"))


def same_graph(one: Graph, other: Graph) -> bool:
    """Whether graphs have the same nodes in the same order; names and places do not count."""
    places: tuple[dict[Node, int], dict[Node, int]] = {}, {}
    for pair in zip_longest((*one.arguments, *one.nodes), (*other.arguments, *other.nodes)):
        if None in pair:
            return False
        first, second = pair
        if (first.op, first.type, first.effect) != (second.op, second.type, second.effect):
            return False
        if _numbers(first.inputs, places[0]) != _numbers(second.inputs, places[1]):
            return False
        if not _same_attrs(first.attrs, second.attrs):
            return False
        places[0][first] = places[1][second] = len(places[0])
    same_arguments = len(one.arguments) == len(other.arguments)
    return same_arguments and _numbers(one.results, places[0]) == _numbers(other.results, places[1])


def _numbers(nodes: Sequence[Node], places: dict[Node, int]) -> list[Any]:
    return [places.get(n, n) for n in nodes]


def _same_attrs(one: dict[str, Any], other: dict[str, Any]) -> bool:
    keys = one.keys() - UNCOMPARED
    return keys == other.keys() - UNCOMPARED and all(same_value(one[k], other[k]) for k in keys)


def _same_long(one: Any, other: Any) -> bool:
    """Numbers that have bytes in memory which are no part of them."""
    parts = [(one, other)] if one.dtype.kind == "f" else [(one.real, other.real), (one.imag, other.imag)]
    return all(
        np.array_equal(a, b, equal_nan=True) and np.array_equal(np.signbit(a), np.signbit(b))
        for a, b in parts
    )


def same_value(one: Any, other: Any) -> bool:
    """Whether values are the same to the last bit, and their types too."""
    if one is other:
        return True
    if type(one) is not type(other):
        return False
    match one:
        case Graph():
            return same_graph(one, other)
        case tuple() | list():
            return len(one) == len(other) and all(map(same_value, one, other))
        case dict():
            return list(one) == list(other) and all(map(same_value, one.values(), other.values()))
        case slice() | range():
            ends = ((s.start, s.stop, s.step) for s in (one, other))
            return all(map(same_value, *ends))
        case np.ndarray() | np.generic():
            if (one.dtype, one.shape) != (other.dtype, other.shape):
                return False
            if one.dtype.type in (np.longdouble, np.clongdouble):
                return _same_long(one, other)
            return (one.dtype.hasobject and one is other) or one.tobytes() == other.tobytes()
        case float():
            return np.float64(one).tobytes() == np.float64(other).tobytes()
        case complex():
            return same_value(one.real, other.real) and same_value(one.imag, other.imag)
        case Slot():
            return one.index == other.index
    return bool(one == other)
