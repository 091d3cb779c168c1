"""Functions that return values of unlike types, and callers that tell them apart."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import autograph_rs as ag


def roots(a, b, c):
    d = b * b - 4 * a * c
    if d < 0 or a == 0:
        return None
    if d == 0:
        return (-b / (2 * a),)
    root = np.sqrt(d)
    return (-b - root) / (2 * a), (-b + root) / (2 * a)


def sum_of_roots(a, b, c):
    found = roots(a, b, c)
    if found is None:
        return 0.0
    if len(found) == 1:
        return found[0]
    return found[0] + found[1]


def sum_or_default(a, b, c):
    found = roots(a, b, c)
    return sum(found) if found else -1.0


def roots_in_a_loop(a, b, c):
    total, i = 0.0, 0
    while i < abs(int(a)) + 2:
        found = roots(a, b + i, c)
        if found is not None:
            for x in found:
                total += x
        i += 1
    return total


def all_roots(a, b, c):
    kept = []
    for x in (a, b, c):
        found = roots(x, b, c)
        if found is not None:
            kept.extend(found)
    return kept


@dataclass
class Ok:
    value: float


@dataclass
class Failure:
    message: str


def divided(a, b):
    if b == 0:
        return Failure("division by zero")
    return Ok(a / b)


def matched(a, b, c):
    match divided(a, b):
        case Ok(value):
            return value * 2
        case Failure(_):
            return -1.0


def by_class(a, b, c):
    found = divided(a, b)
    if isinstance(found, Failure):
        return found.message
    return f"{found.value:.2f}"


def two_results(a, b, c):
    first, second = divided(a, b), divided(b, c)
    if isinstance(first, Failure) or isinstance(second, Failure):
        return 0.0
    return first.value + second.value


def filtered(a, b, c):
    found = [divided(a, b), divided(b, c)]
    return sum(r.value for r in found if isinstance(r, Ok))


def shape(a, b):
    if a > b:
        return "circle", a
    return "rectangle", a, b


def area(figure):
    match figure:
        case ("circle", radius):
            return 3.0 * radius * radius
        case ("rectangle", width, height):
            return width * height


def areas(a, b, c):
    return area(shape(a, b)) + area(shape(b, c))


def in_a_try(a, b, c):
    try:
        return area(shape(a, b)) + 1 // int(c)
    except ZeroDivisionError:
        return 0.0


def doubled(x):
    return x * 2


def pick(a, b):
    chosen = np.sin if a > 0 else doubled

    def inner(z):
        if z > 0:
            return chosen
        return lambda v: -v

    return inner(b)


def functions(a, b, c):
    return pick(a, b)(c) + pick(c, a)(b)


def looked_up(a):
    if a > 0:
        return {"kind": "positive", "value": a}
    return {"kind": "negative"}


def keys(a, b, c):
    found = looked_up(a)
    return found["value"] if found["kind"] == "positive" else found.get("value", -5.0)


class Leaf:
    def __init__(self, value):
        self.value = value


class Split:
    def __init__(self, threshold, left, right):
        self.threshold, self.left, self.right = threshold, left, right


def grown(xs, depth):
    if depth == 0 or len(xs) < 2 or np.std(xs) < 0.1:
        return Leaf(np.sum(xs))
    middle = np.median(xs)
    return Split(middle, grown(xs[xs < middle], depth - 1), grown(xs[xs >= middle], depth - 1))


def predicted(node, x):
    if isinstance(node, Leaf):
        return node.value
    if x < node.threshold:
        return predicted(node.left, x)
    return predicted(node.right, x)


def tree(a, b, c):
    return predicted(grown(np.stack([a, b, c, a + b, b + c]), 2), b)


PROGRAMS = [
    sum_of_roots, sum_or_default, roots_in_a_loop, all_roots, matched, by_class, two_results, filtered, areas,
    in_a_try, functions, keys, tree,
]  # fmt: skip
ARGUMENTS = [(1, -3, 2), (1, 2, 1), (1, 0, 1), (-1, 2, 3), (2, 1, 0), (12, 1, 1), (0.5, 0.5, 0.5)]


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
@pytest.mark.parametrize("engine", ["numpy", "auto"])
def test_equal_to_python(f: Any, engine: str):
    staged = ag.function(f, engine=engine)
    for numbers in ARGUMENTS:
        args = [np.float64(x) for x in numbers]
        np.testing.assert_equal(staged(*args), f(*args))
    assert len(staged.traces()) == 1


def test_plain_values_are_printed_once(capsys: pytest.CaptureFixture[str]):
    @ag.function
    def f(a, b):
        print("begin")
        figure = shape(a, b)
        print("made")
        if a > b:
            print("circle")
        print("middle")
        result = area(figure)
        print("end")
        return result

    for a in (1.0, 3.0, 1.0):
        f(np.float64(a), np.float64(2.0))
    assert capsys.readouterr().out.split() == ["begin", "made", "middle", "end", "circle", "end", "end"]


class Account:
    def __init__(self, balance, limit):
        if balance < limit:
            raise ValueError(f"{balance:g} is below {limit:g}")
        self.balance, self.limit, self.count = balance, limit, 0
        self.history = np.array([balance, limit])

    def pay(self, amount):
        if self.balance - amount < self.limit:
            raise ValueError("limit reached")
        self.balance -= amount
        self.count += 1

    def total(self):
        return self.history.sum() + self.history.shape[0] + self.balance


def built_in_a_try(a, b, c):
    try:
        account = Account(a, b)
    except ValueError as error:
        return str(error)
    return account.total()


def changed_after_a_try(a, b, c):
    try:
        account = Account(a, b)
        other = Account(account.total(), c)
    except ValueError:
        return -1.0
    for _ in range(3):
        try:
            account.pay(1.0)
        except ValueError:
            account.count += 10
    return account.balance + other.limit, account.count


def built_by_a_handler(a, b, c):
    try:
        account = Account(a, b)
    except ValueError:
        account = Account(b, a)
    account.balance += 1.0
    return account.total()


@pytest.mark.parametrize(
    "f", [built_in_a_try, changed_after_a_try, built_by_a_handler], ids=lambda f: f.__name__
)
def test_objects_whose_constructors_raise(f: Any):
    staged = ag.function(f)
    for numbers in ARGUMENTS:
        args = [np.float64(x) for x in numbers]
        np.testing.assert_equal(staged(*args), f(*args))
