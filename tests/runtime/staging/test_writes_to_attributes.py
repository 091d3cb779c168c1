"""Writes at staged indices to plain arrays in objects, lists and dicts, and lists of staged indices."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import autograph_rs as ag


class Grid:
    def __init__(self, size):
        self.line = np.zeros(size)
        self.cells = np.zeros((size, size))
        self.other = self.line

    def add(self, i, value):
        self.line[i] += value

    def swap(self, i, j):
        self.line[[i, j]] = self.line[[j, i]]
        self.line[i], self.line[j] = self.line[j] + 1, self.line[i]


def attribute(x):
    grid = Grid(3)
    grid.add(int(np.argmax(x)), x[0])
    return grid.line, grid.other


def attribute_in_a_loop(x):
    grid = Grid(3)
    for i in range(len(x)):
        grid.add(int(np.argmax(x[i:])), x[i])
        grid.swap(i, int(np.argmin(x)))
    return grid.line, grid.other


def rows_of_an_attribute(x):
    grid = Grid(3)
    grid.cells[int(np.argmax(x))] = x
    grid.cells[0, :] += x[1]
    grid.cells[:, 0] = x[1]
    return grid.cells


def items_of_containers(x):
    rows, named = [np.zeros(2), np.zeros(2)], {"a": np.zeros(3)}
    rows[0][1] = x[0]
    rows[1][0] += x[1]
    named["a"][int(np.argmax(x))] = x[0]
    return rows, named


def through_two_names(x):
    grid = Grid(3)
    line = grid.line
    grid.line[int(np.argmax(x))] = 5.0
    line[0] = 2.0
    return grid.line, line, grid.other


def of_several_objects(x):
    grids = [Grid(2), Grid(2)]
    for i, grid in enumerate(grids):
        grid.line[0] = x[i]
    return [grid.line for grid in grids]


def pivoted(x):
    matrix, order = np.outer(x, x) + np.eye(3), np.arange(3)
    for i in range(2):
        best = i + int(np.argmax(np.abs(matrix[i:, i])))
        matrix[[i, best]] = matrix[[best, i]]
        order[[i, best]] = order[[best, i]]
    return matrix, order, matrix[[best, 0], 1], order[[best]]


PROGRAMS = [
    attribute, attribute_in_a_loop, rows_of_an_attribute, items_of_containers, through_two_names,
    of_several_objects, pivoted,
]  # fmt: skip


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
@pytest.mark.parametrize("engine", ["numpy", "auto"])
def test_equal_to_python(f: Any, engine: str):
    staged = ag.function(f, engine=engine)
    for x in (np.array([1.0, 2.0, -1.0]), np.array([-1.0, -2.0, 5.0])):
        np.testing.assert_equal(staged(x), f(x))


def test_a_view_with_a_name_is_refused():
    def f(x):
        grid = Grid(3)
        rest = grid.line[1:]
        grid.line[int(np.argmax(x))] = 5.0
        return rest

    with pytest.raises(ag.AliasError, match="'rest' also refers to the array"):
        ag.function(f)(np.ones(3))


def test_private_names_of_a_class_inside_a_function():
    def f(x):
        class Box:
            class __Lid:
                def close(self, x):
                    self.__closed = max(0, x)

            def fill(self, x):
                if x > 0:
                    self.__value = x
                else:
                    self.__value = 0

        box, lid = Box(), Box._Box__Lid()
        box.fill(x)
        lid.close(x)
        return vars(box), vars(lid)

    for x in np.array([1, -1]):
        assert ag.function(f)(x) == f(x)
