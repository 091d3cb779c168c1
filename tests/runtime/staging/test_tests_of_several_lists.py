"""`and` and `or` of lists and objects, as conditions, select none of them, so these can change afterwards."""

import numpy as np
import pytest

import autograph_rs as ag


def split(xs):
    low, high = [], []
    for x in xs:
        if x > 2:
            high.append(x)
        else:
            low.append(x)
    return low, high


def rounds_until_both_are_empty(xs):
    low, high = split(xs)
    rounds = 0
    while low or high:
        if high:
            high.pop()
        if low:
            low.pop(0)
        rounds += 1
    return rounds


def merged(xs):
    low, high = split(xs)
    out = []
    while low and high:
        out.append(low.pop(0) if low[0] + 2 < high[0] else high.pop(0))
    out.extend(low)
    out.extend(high)
    return out


class Queues:
    def __init__(self, xs):
        self.low, self.high = split(xs)

    def drain(self):
        count = 0
        while not (not self.low and not self.high):
            count += len(self.low) + len(self.high)
            if self.low or self.high:
                self.low.clear()
                self.high.clear()
        return count


def drained(xs):
    return Queues(xs).drain()


def nested(xs):
    low, high = split(xs)
    if (low and high) or not (low or high):
        low.append(9.0)
    return low, high


@pytest.mark.parametrize("f", [rounds_until_both_are_empty, merged, drained, nested])
@pytest.mark.parametrize("xs", [[1.0, 3.0, 2.0, 5.0], [1.0], []])
def test_lists(f, xs):
    if not xs:
        xs = np.zeros(0)
    assert ag.function(f)(np.array(xs)) == f(np.array(xs))


def test_values_of_other_types():
    def f(n, x):
        if n and x:
            return 1
        return 2 if n or x else 3

    staged = ag.function(f)
    for n in (0, 2):
        for x in (0.0, 0.5):
            assert staged(np.int64(n), np.float64(x)) == f(n, x)


class Level:
    def __init__(self, level):
        self.level = level


def optional_tuple(xs):
    best = None
    for i, x in enumerate(xs):
        if x > 2 and (best is None or x > best[0]):
            best = (x, i)
    return best[1] if best and best[0] > 4 else -1


def optional_object(xs):
    best = None
    for x in xs:
        if x > 2:
            best = Level(x)
    count = 0
    while best and best.level < 9:
        best.level += 1
        count += 1
    return count, not best or best.level > 9


def flags_and_tuples(xs):
    best, count = None, 0
    for x in xs:
        if x > 0 and best:
            count += 1
        if best or x > 2:
            count += 10
        if not (best and best[0] > 2):
            count += 100
        if x > 1:
            best = (x, count)
    return count


def handled(xs):
    """The test of a loop in a `try` whose body may raise."""
    low, high = split(xs)
    best, count = None, 0
    try:
        while high and count < 3:
            if high[-1] > 5:
                raise ValueError
            best = (high.pop(), count)
            count += 1
        while low and not (best and best[0] > 4):
            if low.pop() < 1:
                raise KeyError
    except (ValueError, KeyError):
        count = -count
    return count, bool(low and best)


@pytest.mark.parametrize("f", [optional_tuple, optional_object, flags_and_tuples, handled])
@pytest.mark.parametrize("xs", [[1.0, 3.0, 2.0, 5.0], [1.0, 2.0, 1.5], [0.5, 3.0, 5.5, 6.0]])
def test_objects(f, xs):
    assert ag.function(f)(np.array(xs)) == f(np.array(xs))


def test_a_tuple_or_a_bool_is_no_value():
    def f(xs):
        best = None
        for x in xs:
            if x > 1:
                best = (x, 1)
        return best and best[0] > 2

    with pytest.raises(ag.MismatchError, match="is a list or an object on one path"):
        ag.function(f)(np.array([1.0, 2.0]))


class Tank:
    def __init__(self, level):
        self.level = level

    def __bool__(self):
        return bool(self.level > 0)


@pytest.mark.parametrize("limit", [0.0, np.float64(0)])
def test_a_list_or_a_number_is_no_value(limit):
    def f(xs, limit):
        queue = [x for x in xs if x > 1]
        return xs[0] > limit and queue

    with pytest.raises(ag.MismatchError, match="is a list or an object on one path"):
        ag.function(f)(np.array([1.0, 2.0]), limit)


def test_a_list_that_is_tested_later():
    def f(xs):
        queue = [x for x in xs if x > 1]
        is_ready = xs[0] > 0 and queue
        total = np.sum(xs)
        return total if is_ready or total > 5 else -total

    staged = ag.function(f)
    for xs in ([1.0, 2.0], [-1.0, 2.0], [1.0, 0.5], [-4.0, 10.0]):
        assert staged(np.array(xs)) == f(np.array(xs))


def test_a_truth_that_changes():
    """The truth of an object is that at the time of the test, so it can be no operand beside a bool."""

    def f(xs):
        tank = Tank(xs[0])
        is_ready = tank and xs[1] > 0
        tank.level = tank.level + 5
        return 1 if is_ready else 0

    assert f(np.array([-1.0, 1.0])) == 1
    with pytest.raises(ag.MismatchError, match="gives two types"):
        ag.function(f)(np.array([-1.0, 1.0]))


def test_python_tests_each_operand_once():
    tested = []

    class Tested:
        def __init__(self, name, truth):
            self.name, self.truth = name, truth

        def __bool__(self):
            tested.append(self.name)
            return self.truth

    def f(a, b, c):
        return 1 if not (a and (b or c)) else 2

    def g(a, b, c):
        if not (a and (b or c)):
            return 1
        return 2

    a, b, c = Tested("a", True), Tested("b", False), Tested("c", True)
    for function in (f, g, ag.convert(f), ag.convert(g)):
        tested.clear()
        assert function(a, b, c) == 2
        assert tested == ["a", "b", "c"]


def test_a_list_of_a_closure():
    """Its type changes in the first iteration, together with those of other variables."""

    def joined(n, edges):
        parent = list(range(n))

        def find(x):
            while parent[x] != x:
                x = parent[x]
            return x

        for a, b in edges:
            parent[find(a)] = find(b)
        return parent

    edges = np.array([[0, 1], [1, 2]])
    assert ag.function(joined)(4, edges) == joined(4, edges)
