"""Handlers in loops and in other `try` statements, and the classes and texts of the errors that they see."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from test_handlers import check_as_in_python

import autograph_rs as ag


def texts_of_containers(xs):
    k, texts = int(xs[0]) + 1, []
    containers = (1.0, 2.0), (xs[0], xs[1]), [xs[0], xs[1]], tuple(x for x in xs if x > 2), "ab", f"{k}"
    for values in containers:
        try:
            texts.append(f"{values[k]}")
        except IndexError as error:
            texts.append(str(error))
    return " ".join(texts)


def shifted_by(xs):
    try:
        return 5 << (3 - int(xs[0]) * 2)
    except ValueError as error:
        return str(error)


def inner_try_in_a_loop(xs):
    total = 0.0
    try:
        for k in range(int(xs[0]) * 2):
            try:
                total += xs[k]
            except ZeroDivisionError:
                total += 0.5
            finally:
                total += 0.25
    except IndexError as error:
        return f"{total}: {error}"
    return total


def raised_out_of_an_inner_try(xs):
    total = 0.0
    for x in xs:
        try:
            try:
                if x > 3:
                    raise ValueError("large", x)
                total += 6 / int(x)
            except ZeroDivisionError:
                total -= 0.5
        except ValueError as error:
            total += error.args[1]
    return total


def wide_index(xs):
    try:
        return xs[np.uint64(2**63) + xs.astype("uint64")[0]]
    except IndexError:
        return -1.0


def not_a_number(xs):
    total = 0.0
    for x in (xs[0], xs[-1] / xs[-1], 1 / xs[-1]):
        try:
            total += int(x)
        except OverflowError:
            total -= 0.25
        except ValueError as error:
            print(error)
            total -= 0.5
    return total


class Path:
    def __init__(self):
        self.x = 0.0
        self.points = [(0.0, 0.0)]

    def move(self, x):
        if x > 100:
            raise ValueError
        self.x = x
        self.points.append((x, 2 * x))


def list_of_an_object(xs):
    path = Path()
    try:
        for x in xs:
            if x > 1:
                path.move(x * 30)
            else:
                path.move(x)
    except ValueError:
        return len(path.points), path.points[-1][0]
    return len(path.points), path.points[-1][1] + path.x


FUNCTIONS = [
    list_of_an_object, texts_of_containers, shifted_by, inner_try_in_a_loop, raised_out_of_an_inner_try,
    wide_index, not_a_number,
]  # fmt: skip


@pytest.mark.parametrize("engine", ["numpy", "native"])
@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f.__name__)
def test_as_in_python(function: Any, engine: str):
    check_as_in_python(function, engine)


def two_types_after_a_try(x):
    try:
        if x > 0:
            raise ValueError
        y = 1
    except ValueError:
        y = "none"
    return y


def test_an_error_about_a_try_names_it():
    with pytest.raises(ag.MismatchError, match="a 'try' whose body may raise gives two types to 'y'"):
        ag.function(two_types_after_a_try)(np.int64(2))
