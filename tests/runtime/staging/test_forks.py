"""Conditions whose branches leave values of unlike types: what follows is captured for each outcome."""

from __future__ import annotations

import math
import operator
import warnings
from typing import Any

import numpy as np
import pytest

import autograph_rs as ag


class Circle:
    def __init__(self, radius):
        self.radius = radius

    def area(self):
        return math.pi * self.radius**2


class Rectangle:
    def __init__(self, width, height):
        self.width, self.height = width, height

    def area(self):
        return self.width * self.height


def tuples_of_two_lengths(xs):
    is_pair = xs[0] > 1
    if is_pair:
        t = (xs[0], xs[1])
    else:
        t = (xs[0],)
    y = xs.sum()
    if is_pair:
        return t[0] + t[1] + y
    return t[0]


def value_by_a_tag(xs):
    kind = "pair" if xs[0] > 1 else "one"
    if kind == "pair":
        t = (xs[0], xs[1])
    else:
        t = xs[0]
    return t[0] + t[1] if kind == "pair" else t


def length(xs):
    if xs[0] > 1:
        t = (xs[0], xs[1])
    else:
        t = (xs[0],)
    return len(t), sum(t)


def array_or_number(xs):
    v = xs if xs[0] > 1 else xs[0]
    return np.sum(v * 2), np.shape(v), np.ndim(v)


def number_or_array(xs):
    v = 0 if xs[0] > 1 else xs
    return np.zeros(np.shape(v))


def dicts_of_unlike_keys(xs):
    result = {"ok": True, "value": xs[1]} if xs[0] > 1 else {"ok": False, "error": "low"}
    return result["value"] if result["ok"] else len(result["error"])


def text_or_number(xs):
    v = "none" if xs[0] < 1 else xs[1]
    return -1.0 if isinstance(v, str) else v * 2


def objects_of_two_classes(xs):
    shape = Circle(xs[0]) if xs[0] > 1 else Rectangle(xs[0], xs[1])
    return shape.area()


def largest_of_unlike_shapes(xs):
    best = None
    for shape in [Circle(xs[0]), Rectangle(xs[1], 1.0)]:
        if best is None or shape.area() > best.area():
            best = shape
    return best.area()


def functions(xs):
    f = (lambda v: v * 2) if xs[0] > 1 else (lambda v: v + 1)
    return f(xs[1])


def function_or_none(xs):
    f = None
    if xs[0] > 1:
        f = math.sqrt
    return xs[1] if f is None else f(xs[1])


def in_a_loop(xs):
    total = 0.0
    for x in xs:
        shape = Circle(x) if x > 1 else Rectangle(x, 2.0)
        total += shape.area()
    return total


def three_in_a_loop(xs):
    found = []
    for x in xs:
        if x > 2:
            r = ("high", x, x * 2)
        elif x > 1:
            r = ("middle", x)
        else:
            r = ("low",)
        found.append(r[1] if len(r) > 1 else 0.0)
    return found


def in_a_while_loop(xs):
    n = 0
    while n < 10:
        step = (1, 2) if xs[0] > 1 else 3
        n += sum(step) if isinstance(step, tuple) else step
    return n


def in_a_branch(xs):
    y = 0.0
    if xs[0] > 0:
        v = xs if xs[1] > 1 else xs[0]
        y = np.sum(v)
    return y


def described(x):
    return {"kind": "high", "value": x} if x > 1 else {"kind": "low"}


def in_a_called_function(xs):
    total = 0.0
    for x in xs:
        found = described(x)
        if "value" in found:
            total += found["value"]
    return total


def effects_before(xs):
    print("first", xs[0])
    xs[0] += 1.0
    log = [xs[0]]
    v = xs if xs[1] > 1 else xs[1]
    print("then", np.shape(v), v)
    xs[0] += np.sum(v)
    log.append(np.sum(v))
    return log, xs


def four_in_a_row(xs):
    a = xs if xs[0] > 1 else 1.0
    b = "text" if xs[1] > 1 else 2
    c = (1, 2) if xs[2] > 1 else [3.0]
    d = None if xs[0] > 2 else Circle(2.0)
    return np.ndim(a), isinstance(b, str), len(c), d is None


def class_chosen_by_a_branch(x):
    if x[0] > 1:

        class A:
            y = 1
    else:

        class A:
            y = 2

    return A.y


def key_on_one_path(x):
    class Box:
        pass

    box = Box()
    box.table = {"text": "t", "number": 2}
    if x[0] > 1:
        box.table["k"] = 1
    return len(box.table)


def deleted_key(x):
    table = {"a": [], "b": 2}
    if x[0] > 1:
        del table["a"]
    return len(table)


def in_a_rolled_loop(xs):
    found = []
    for i in range(20):
        t = (i, 1) if xs[0] > i else (i,)
        found.append(len(t))
    return found


def function_at_an_index(xs):
    return [math.sin, math.cos, math.exp][int(xs[2])](xs[0])


def function_by_a_key(xs):
    operators = {"+": operator.add, "-": operator.sub, "*": lambda a, b: a * b}
    sign = "+" if xs[0] > 1 else "-" if xs[1] > 1 else "*"
    return operators[sign](xs[0], xs[2])


def unlike_items(xs):
    item = [(1.0, xs[0]), {"value": xs[1]}, xs[2]][int(xs[2])]
    if isinstance(item, tuple):
        return item[1]
    return item["value"] * 2 if isinstance(item, dict) else item * 3


def in_a_try(xs):
    found = "none"
    try:
        found = (1, 2) if xs[0] > 1 else "abcd"
        if len(found) == 2:
            raise KeyError
    except KeyError:
        return len(found) * 10
    finally:
        print("done")
    return len(found)


def told_apart_by_another_condition(xs):
    """What raises on a path that is never taken does not end the trace."""
    shape = Circle(2.0) if xs[0] > 1 else "none"
    pair = (xs[0], xs[1]) if xs[0] > 1 else xs[0]
    if xs[0] * 2 > 2:
        return shape.area() + pair[1]
    return len(shape.upper()) + pair


FUNCTIONS = [
    tuples_of_two_lengths, value_by_a_tag, length, array_or_number, number_or_array, dicts_of_unlike_keys,
    text_or_number, objects_of_two_classes, largest_of_unlike_shapes, functions, function_or_none, in_a_loop,
    three_in_a_loop, in_a_while_loop, in_a_branch, in_a_called_function, effects_before, four_in_a_row,
    class_chosen_by_a_branch, key_on_one_path, deleted_key, function_at_an_index, function_by_a_key,
    unlike_items, in_a_try, told_apart_by_another_condition,
    in_a_rolled_loop,
]  # fmt: skip
ARRAYS = [np.array(a) for a in ([1.5, 0.5, 2.5], [0.5, 1.2, 0.3], [3.0, 2.0, 1.0], [-1.0, 0.0, 1.5])]


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f.__name__)
def test_as_in_python(function: Any, capsys: pytest.CaptureFixture[str]):
    staged = ag.function(function)
    for given in ARRAYS:
        plain, own = given.copy(), given.copy()
        with warnings.catch_warnings(action="error"):
            expected, printed = function(plain), capsys.readouterr().out
            np.testing.assert_equal(staged(own), expected)
        assert capsys.readouterr().out == printed
        np.testing.assert_array_equal(own, plain)


def test_one_graph_serves_both_outcomes():
    staged = ag.function(objects_of_two_classes)
    for given in ARRAYS:
        staged(given)
    assert "1 trace" in repr(staged)


def test_gradient():
    gradient = ag.grad(objects_of_two_classes)
    np.testing.assert_allclose(gradient(np.array([2.0, 3.0])), [4 * math.pi, 0.0])
    np.testing.assert_allclose(gradient(np.array([0.5, 3.0])), [3.0, 0.5])


def test_a_loop_that_carries_both_types_is_refused():
    @ag.function
    def f(xs):
        last = 0.0
        for x in xs:
            last = x if x > 0 else "negative"
        return last

    with pytest.raises(ag.MismatchError, match="a conditional expression gives two types to the value"):
        f(ARRAYS[0])


def test_a_condition_by_a_random_number_is_refused():
    """Each outcome would draw another number."""

    @ag.function
    def f(xs):
        v = xs if np.random.default_rng(0).normal() > xs[0] else xs[0]
        return np.sum(v)

    with pytest.raises(ag.MismatchError, match="numbers of dimensions differ"):
        f(ARRAYS[0])


@pytest.mark.slow
def test_more_conditions_than_can_be_doubled_are_refused():
    @ag.function
    def f(xs):
        return sum([len((i, i) if xs[i % 3] > i else (i,)) for i in (0, 1, 2, 3, 4, 5, 6, 7)])

    with pytest.raises(ag.MismatchError, match="the structures differ"):
        f(ARRAYS[0])


def test_an_iterator_that_has_advanced_is_not_advanced_again():
    def numbers():
        yield from (1.0, 2.0, 3.0)

    def f(xs):
        items = numbers()
        y = 0.0
        if xs[0] > 0:
            first = next(items)
            y = sum((first,) if xs[1] > 1 else (first, first))
        return y + 1

    with warnings.catch_warnings(action="ignore", category=ag.SideEffectWarning):
        for given in ARRAYS:
            assert ag.function(f)(given) == f(given)


def test_what_is_printed(capsys: pytest.CaptureFixture[str]):
    """Plain values are printed by the trace up to the condition, and by each call after it."""

    @ag.function
    def f(xs):
        print("start")
        t = (1, 2) if xs[0] > 1 else (1,)
        print("middle")
        u = (1, 2) if xs[1] > 1 else (1,)
        print("end", xs[0])
        return len(t) + len(u)

    assert [f(given) for given in ARRAYS[:2]] == [3, 3]
    assert capsys.readouterr().out.split("\n") == ["start", "middle", "end 1.5", "middle", "end 0.5", ""]


def test_an_error_is_raised_where_its_path_runs():
    @ag.function
    def f(xs):
        found = {"a": 1.0} if xs[0] > 1 else {"b": 2.0}
        return found["a"]

    assert f(ARRAYS[0]) == 1.0
    with pytest.raises(KeyError, match=r"^'a'$"):
        f(ARRAYS[1])
