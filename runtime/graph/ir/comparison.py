"""Structural equality of graphs and of the values in their attributes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import zip_longest
from typing import Any

import numpy as np

from .graph import GRAPH_METHODS, Graph, Node
from .types import holds_references

IGNORED_ATTRS = frozenset(("source", "name"))


_REPEATABLE = frozenset("lt le gt ge eq ne not_ is_none add sub mul neg abs mod constant".split())
"""Operations that give the same result for the same operands, whatever has happened between."""


def same_computation(one: Node, other: Node) -> bool:
    """Return whether two nodes of a graph are the same, or compute the same from the same nodes."""
    if one is other:
        return True
    if one.op != other.op or one.op not in _REPEATABLE or not _same_types(one.type, other.type):
        return False
    same = len(one.inputs) == len(other.inputs) and _same_attrs(one.attrs, other.attrs, {})
    return same and all(map(same_computation, one.inputs, other.inputs))


def same_graph(one: Graph, other: Graph) -> bool:
    """Return whether two graphs have equal nodes in the same order, ignoring names and positions."""
    programs = one.program(), other.program()
    if len(programs[0]) != len(programs[1]):
        return False
    called = dict(zip(*programs, strict=True))
    return all(_same_nodes(a, b, called) for a, b in called.items())


def _same_nodes(one: Graph, other: Graph, called: Mapping[Graph, Graph]) -> bool:
    """Compare two graphs. `called` maps the graphs that one calls to those that the other has to call."""
    numbers: tuple[dict[Node, int], dict[Node, int]] = {}, {}
    for pair in zip_longest((*one.arguments, *one.nodes), (*other.arguments, *other.nodes)):
        if None in pair:
            return False
        first, second = pair
        if (first.op, first.effect) != (second.op, second.effect) or not _same_types(first.type, second.type):
            return False
        if _numbered(first.inputs, numbers[0]) != _numbered(second.inputs, numbers[1]):
            return False
        if not _same_attrs(first.attrs, second.attrs, called):
            return False
        numbers[0][first] = numbers[1][second] = len(numbers[0])
    same_arguments = len(one.arguments) == len(other.arguments)
    return same_arguments and _numbered(one.results, numbers[0]) == _numbered(other.results, numbers[1])


def _same_types(one: Any, other: Any) -> bool:
    """Compare types. References of two graphs have referents of their own."""
    return bool(one == other or (holds_references(one) and str(one) == str(other)))


def _numbered(nodes: Sequence[Node], numbers: dict[Node, int]) -> list[Any]:
    return [numbers.get(n, n) for n in nodes]


def _same_attrs(one: dict[str, Any], other: dict[str, Any], called: Mapping[Graph, Graph]) -> bool:
    keys = one.keys() - IGNORED_ATTRS
    if keys != other.keys() - IGNORED_ATTRS:
        return False
    for key in keys:
        first, second = one[key], other[key]
        if isinstance(first, Graph) and isinstance(second, Graph):
            same = called[first] is second if first in called else _same_nodes(first, second, called)
        else:
            same = same_value(first, second)
        if not same:
            return False
    return True


def _same_long_doubles(one: Any, other: Any) -> bool:
    """Compare long doubles by value: their padding bytes are arbitrary."""
    parts = [(one, other)] if one.dtype.kind == "f" else [(one.real, other.real), (one.imag, other.imag)]
    return all(
        np.array_equal(a, b, equal_nan=True) and np.array_equal(np.signbit(a), np.signbit(b))
        for a, b in parts
    )


def same_value(one: Any, other: Any) -> bool:
    """Return whether two values have the same type and are equal bit for bit."""
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
            return all(map(same_value, *((s.start, s.stop, s.step) for s in (one, other))))
        case np.ndarray() | np.generic():
            if (one.dtype, one.shape) != (other.dtype, other.shape):
                return False
            if one.dtype.type in (np.longdouble, np.clongdouble):
                return _same_long_doubles(one, other)
            return one.tobytes() == other.tobytes()
        case float():
            return np.float64(one).tobytes() == np.float64(other).tobytes()
        case complex():
            return same_value(one.real, other.real) and same_value(one.imag, other.imag)
    return bool(one == other)


GRAPH_METHODS["equals"] = same_graph
