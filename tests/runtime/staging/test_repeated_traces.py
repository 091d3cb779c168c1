"""Functions that a second trace stages, because the first one has found out what they need."""

from __future__ import annotations

import heapq

import numpy as np
import pytest

import autograph_rs as ag

# Lists in results: the first round of the loop returns a list of one item, later ones return longer lists


class NoPathError(Exception):
    pass


def shortest_path(blocked, start, goal):
    costs, parents = {start: 0}, {start: None}
    queue = [(0, start)]
    while queue:
        cost, cell = heapq.heappop(queue)
        if cell == goal:
            path = []
            while cell is not None:
                path.append(cell)
                cell = parents[cell]
            return path[::-1], cost
        row, column = cell
        for other in ((row + 1, column), (row, column + 1), (row - 1, column), (row, column - 1)):
            if not (0 <= other[0] < 3 and 0 <= other[1] < 4) or blocked[other]:
                continue
            if cost + 1 < costs.get(other, 99):
                costs[other] = cost + 1
                parents[other] = cell
                heapq.heappush(queue, (cost + 1, other))
    raise NoPathError


def length_of_the_path(blocked, start, goal):
    try:
        path, cost = shortest_path(blocked, start, goal)
    except NoPathError:
        return 0.0, -1
    return np.array(path, dtype=float).sum(), cost


def cells_of_the_path(blocked, start, goal):
    path, cost = shortest_path(blocked, start, goal)
    return [row for row, _ in path], len(path) == cost + 1


BLOCKED = np.array([[0, 1, 0, 0], [0, 1, 0, 1], [0, 0, 0, 1]])


@pytest.mark.parametrize("goal", [(0, 0), (2, 2), (0, 3)])
def test_a_list_of_the_result_is_used(goal):
    cells = [tuple(map(np.int64, cell)) for cell in ((0, 0), goal)]
    assert ag.function(length_of_the_path)(BLOCKED, *cells) == length_of_the_path(BLOCKED, *cells)
    assert ag.function(cells_of_the_path)(BLOCKED, *cells) == cells_of_the_path(BLOCKED, *cells)


def test_no_path():
    cells = [tuple(map(np.int64, cell)) for cell in ((0, 0), (2, 3))]
    assert ag.function(length_of_the_path)(BLOCKED, *cells) == (0.0, -1)


# Rolled loops: in a `try`, each of their statements may raise


class Reader:
    def __init__(self, bits):
        self.bits, self.position = bits, 0

    def bit(self):
        if self.position >= len(self.bits):
            raise EOFError
        self.position += 1
        if self.bits[self.position - 1] > 1:
            raise ValueError(self.position)
        return self.bits[self.position - 1]

    def field(self, size):
        value = 0
        for _ in range(size):
            value = 2 * value + self.bit()
        return value


def fields(bits, first):
    reader = Reader(bits)
    reader.position = first
    try:
        found = reader.field(11), reader.field(4), reader.field(15)
    except EOFError:
        return -1, reader.position
    except ValueError as error:
        return -2, error.args[0]
    return sum(found), reader.position


@pytest.mark.parametrize("first", [0, 5, 12, 40])
def test_short_loops_in_a_try_are_rolled(first):
    bits = np.array([1, 0, 1, 1] * 10)
    bits[38] = 7
    arguments = bits, np.int64(first)
    assert ag.function(fields)(*arguments) == fields(*arguments)


def alignment(first, second):
    scores = np.zeros((len(first) + 1, len(second) + 1), dtype=np.int64)
    moves = scores.copy()
    for i in range(1, len(first) + 1):
        for j in range(1, len(second) + 1):
            match = 2 if first[i - 1] == second[j - 1] else -1
            options = (0, scores[i - 1, j - 1] + match, scores[i - 1, j] - 1, scores[i, j - 1] - 1)
            best = max(options)
            scores[i, j] = best
            moves[i, j] = options.index(best)
    return scores, moves


def moves_of_an_alignment(first, second):
    try:
        scores, moves = alignment(first, second)
    except ValueError:
        return -1
    return scores.max() * 100 + moves.sum()


def test_nested_loops_in_a_try_are_rolled():
    rng = np.random.default_rng(1)
    arguments = rng.integers(0, 4, 18), rng.integers(0, 4, 25)
    assert ag.function(moves_of_an_alignment)(*arguments) == moves_of_an_alignment(*arguments)


# Tuples


def place(values, x):
    found = values[0], 2.0, values[1]
    return found.index(x), found.count(x)


@pytest.mark.parametrize("x", [1.0, 2.0, 3.0])
def test_index_and_count_of_a_tuple(x):
    assert ag.function(place)(np.array([3.0, 1.0]), np.float64(x)) == place([3.0, 1.0], x)


def test_index_of_what_a_tuple_lacks():
    with pytest.raises(ValueError, match=r"^tuple\.index\(x\): x not in tuple"):
        ag.function(place)(np.array([3.0, 1.0]), np.float64(7.0))


def are_equal(first, second):
    (a, b), (c, d) = first, second
    return 1 if first == second else 2 if first != second and a == c else b + d


@pytest.mark.parametrize("second", [(1.0, 2.0), (1.0, 3.0), (2.0, 2.0)])
def test_equality_of_variables_that_are_tuples(second):
    arguments = [tuple(map(np.float64, pair)) for pair in ((1.0, 2.0), second)]
    assert ag.function(are_equal)(*arguments) == are_equal(*arguments)
