"""Lists that grow in functions that a `try` calls, after statements that may raise."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import pytest

import autograph_rs as ag

WEIGHTS = np.array([3.0, 5.0, 2.0])


class LimitError(Exception):
    pass


def note(x, found):
    if x > 100:
        raise LimitError
    found.append(x)


def of_a_caller(x):
    found = []
    try:
        note(x, found)
    except LimitError:
        return -1
    return len(found)


def note_until(x, found, limit):
    if x > 100:
        raise LimitError
    found.append(limit)
    if limit < 3:
        note_until(x, found, limit + 1)


def of_a_recursion(x):
    found = []
    try:
        note_until(x, found, 0)
    except LimitError:
        return found
    return [*found, x]


@dataclass
class Search:
    weights: np.ndarray
    limit: int
    best: float = 0.0
    choice: list = field(default_factory=list)
    visited: int = 0

    def visit(self, place, got, room, taken):
        self.visited += 1
        if self.visited > self.limit:
            raise LimitError
        if got > self.best:
            self.best = got
            self.choice = list(taken)
        if place == len(self.weights):
            return
        if self.weights[place] <= room:
            taken.append(place)
            self.visit(place + 1, got + self.weights[place], room - self.weights[place], taken)
            taken.pop()
        self.visit(place + 1, got, room, taken)


def with_a_stack(x):
    """No variable of the caller refers to the list."""
    search = Search(WEIGHTS + 0 * x, 12)
    is_complete = True
    try:
        search.visit(0, 0.0, x, [])
    except LimitError:
        is_complete = False
    return search.best, search.choice, search.visited, is_complete


@pytest.mark.parametrize("x", [4.0, 7.0, 200.0])
@pytest.mark.parametrize("f", [of_a_caller, of_a_recursion, with_a_stack])
def test_lists_grow_after_what_may_raise(f, x):
    assert ag.function(f)(np.float64(x)) == f(np.float64(x))
