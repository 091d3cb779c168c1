"""Iterators of user classes, whose end may be staged, in loops and with `next`."""

from __future__ import annotations

import numpy as np
import pytest
from iterator_programs import Below, Reader

import autograph_rs as ag

N = np.int64


class Node:
    def __init__(self, value, children=()):
        self.value, self.children = value, children

    def __iter__(self):
        yield self.value
        for child in self.children:
            yield from child


def taken(n):
    reader, total = Reader([1, 2, 3, 4, 5]), 0
    for _ in range(n):
        total = total * 10 + next(reader)
    return total, reader.position


def taken_or_seven(n):
    reader, total = Reader([1, 2, 3, 4, 5]), 0
    for _ in range(n):
        total = total * 10 + next(reader, 7)
    return total, next(reader, -1)


def in_turns(n):
    """A second loop goes on where the first one has ended."""
    reader, total = Reader(range(10)), 0
    for _ in range(n):
        for x in reader:
            total = total + x
            if x % 3 == 2:
                break
    return total, reader.position, reader.restarts


def tokens(stream):
    """A token that says how many follow, or that is a number itself."""
    reader, total = Reader(stream), 0
    for token in reader:
        if token == 0:
            for _ in range(next(reader)):
                total += 10 * next(reader)
        else:
            total += token
    return total


def until(n):
    total = 0
    for x in Below(n):
        if total > 9:
            break
        total += x
    else:
        total = -total
    return total


def consumed(n):
    return sum(Below(n)), list(Below(n + 1)), [x * 2 for x in Below(n)], any(x > 2 for x in Below(n))


def searched(limit):
    """The children of a tree have unlike structures."""
    tree = Node(1, [Node(2), Node(3, [Node(limit), Node(1)])])
    total = 0
    for value in tree:
        if value > 3:
            break
        total += value
    return total


def numbered(n):
    reader = Reader(range(n))
    sums = [i * x for i, x in enumerate(reader)], [x + y for x, y in zip([5, 6, 7], Below(n), strict=False)]
    return sums, reader.restarts, list(map(abs, Below(n)))


STREAM = np.array([1, 0, 2, 5, 6, 4, 0, 1, 1])


@pytest.mark.parametrize(
    ("function", "arguments"),
    [
        (taken, [N(0), N(3), N(5)]),
        (taken_or_seven, [N(0), N(3), N(7)]),
        (in_turns, [N(0), N(1), N(2), N(6)]),
        (tokens, [STREAM, STREAM[:0], STREAM[:5], STREAM[6:]]),
        (until, [N(0), N(4), N(9)]),
        (consumed, [N(0), N(4)]),
        (searched, [N(2), N(8)]),
        (numbered, [N(0), N(2), N(5)]),
    ],
)
def test_iterators_of_user_classes(function, arguments):
    staged = ag.function(function)
    for argument in arguments:
        assert staged(argument) == function(argument)


def test_next_of_an_iterator_that_has_ended_raises():
    staged = ag.function(taken)
    with pytest.raises(StopIteration):
        staged(N(6))
    assert staged(N(2)) == taken(2)


def test_stop_iteration_would_end_a_generator_by_an_error():
    def items(reader, n):
        for _ in range(n):
            yield next(reader)

    def total(n):
        return sum(items(Reader([1, 2]), n))

    with pytest.raises(ag.UnsupportedPlaceError, match="which ends an iteration"):
        ag.function(total)(N(2))
