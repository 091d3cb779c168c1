"""Generators that a loop or a builtin consumes: their conditions and loops are staged around its body."""

import itertools
import operator

import numpy as np

from autograph_rs.testing import samples

XS = np.array([3.0, -1.0, 4.0, -1.0, 5.0])


def positive(xs):
    for x in xs:
        if x > 0:
            yield x


def halvings(x):
    while x > 0.5:
        yield x
        x = x / 2


def naturals():
    n = 0
    while True:
        yield n
        n += 1


@samples((XS,), (-XS,))
def yield_under_a_condition(xs):
    total = 0.0
    for x in positive(xs):
        total += x
    return total


@samples((10.0,), (0.0,))
def yield_in_a_while_loop(x):
    count, total = 0, 0.0
    for part in halvings(x):
        count += 1
        total += part
    return count, total


@samples((XS, 3.5), (XS, 9.0))
def break_of_the_consumer(xs, limit):
    total = 0.0
    for x in positive(xs):
        if x > limit:
            break
        total += x
    else:
        total = -total
    return total


@samples((XS, 3.5), (XS, 9.0))
def return_of_the_consumer(xs, limit):
    for i, x in enumerate(positive(xs)):
        if x > limit:
            return i, x
    return -1, limit


@samples((20,), (0,))
def endless_generator(n):
    total = 0
    for k in naturals():
        if k * k > n:
            break
        if k % 2 == 0:
            continue
        total += k
    return total


@samples((XS, 4.0), (XS, 100.0))
def return_of_the_generator(xs, limit):
    def sums():
        total = 0.0
        for x in xs:
            total += x
            if total > limit:
                return
            yield total

    last = 0.0
    for total in sums():
        last = total
    return last


@samples((XS,), (-XS,))
def sums_of_generators(xs):
    return sum(x * x for x in xs if x > 0), sum(positive(xs)), sum((2 * x for x in positive(xs)), 1.0)


@samples((XS, 3.0), (XS, 9.0), (-XS, 0.0))
def any_and_all_of_generators(xs, limit):
    return any(x > limit for x in xs), all(x < limit for x in positive(xs)), any(x < 0 for x in xs if x > limit)


@samples((XS, 4.5), (XS, 3.5))
def several_conditions(xs, limit):
    total = 0.0
    for x in (x * 10 for x in xs if x > 0 if x < limit):
        total += x
    return total


@samples((XS, 3.5), (XS, 9.0))
def first_item_or_default(xs, limit):
    return next((x for x in xs if x > limit), -1.0)


@samples((XS,), (-XS,))
def numbered_items(xs):
    total = 0.0
    for i, x in enumerate(positive(xs), 1):
        total += i * x
    return total, sum(i * x for i, x in enumerate(positive(xs)) if x > 3)


@samples((XS,), (-XS,))
def zipped_items(xs):
    total = 0.0
    for x, weight in zip(positive(xs), [10.0, 20.0]):
        total += x * weight
    for weight, x in zip((1.0, 2.0, 3.0, 4.0), positive(xs)):
        total += x * weight
    return total


@samples((XS,), (-XS,))
def mapped_and_filtered_items(xs):
    total = 0.0
    for x in map(lambda x: x * 3 if x > 3 else x, positive(xs)):
        total += x
    return total, sum(filter(lambda x: x < 5, positive(xs)))


@samples((XS,), (-XS,))
def yield_from_generators(xs):
    def both():
        yield from positive(xs)
        yield 0.5
        yield from positive(-xs)

    total, count = 0.0, 0
    for x in both():
        total = total * 2 + x
        count += 1
    return total, count


@samples((XS,), (-XS,))
def recursion_over_plain_lists(xs):
    def leaves(tree):
        for node in tree:
            if isinstance(node, list):
                yield from leaves(node)
            elif node > 0:
                yield node

    total = 0.0
    for leaf in leaves([xs[0], [xs[1], [xs[2]]], xs[4]]):
        total += leaf
    return total


@samples((XS, 3.5), (XS, 9.0))
def finally_of_the_generator(xs, limit):
    closed = []

    def items():
        try:
            for x in xs:
                if x > 0:
                    yield x
        finally:
            closed.append(True)

    total = 0.0
    for x in items():
        if x > limit:
            break
        total += x
    return total, len(closed)


@samples((XS,), (-XS,))
def nested_consumers(xs):
    total = 0.0
    for x in positive(xs):
        for y in positive(xs):
            if y > x:
                break
            total += x * y
    return total


@samples((XS,), (-XS,))
def chain_of_generators(xs):
    def small(items):
        for x in items:
            if x < 4.5:
                yield x * 2

    def signed(items):
        for x in items:
            yield x
            if x > 7:
                yield -1.0

    return sum(signed(small(positive(xs))))


@samples((XS,), (-XS,))
def generator_with_a_name(xs):
    items = (x for x in xs if x > 0)
    total = 0.0
    for x in items:
        total += x
    return total, sum(items)


@samples((XS,), (-XS,))
def writes_of_the_consumer(xs):
    found = np.zeros(5)
    for i, x in enumerate(positive(xs)):
        found[i] += x
    return found


class Cells:
    def __init__(self, values):
        self.values = values
        self.visited = 0

    def above(self, limit=0.0, *, scale=1.0):
        for i, value in enumerate(self.values):
            self.visited += 1
            if value > limit:
                yield i, value * scale


@samples((XS, 0.5), (XS, 4.5))
def method_that_yields(xs, limit):
    cells = Cells(xs)
    total = 0.0
    for i, value in cells.above(limit, scale=2.0):
        total += i * value
    return total, cells.visited


@samples((2.0,), (9.0,))
def iteration_until_convergence(a):
    def estimates(x):
        while True:
            yield x
            x = (x + a / x) / 2

    previous = a + 1.0
    for x in estimates(a):
        if abs(x - previous) < 1e-9:
            break
        previous = x
    return round(x, 6)


@samples((XS,), (-XS,))
def list_of_staged_length(xs):
    found = []
    for x in positive(xs):
        found.append(x * 2)
    return found, [x + 1 for x in positive(xs)], [x for x in positive(xs) if x < 4.5]


@samples((XS,))
def builtins_that_need_all_items(xs):
    top = max(x for x in xs if x < 5)
    return top, min(positive(xs)), sorted(x for x in xs if x > 0), list(positive(xs)), max((x for x in xs if x > 50), default=0.0)


@samples((XS,), (-XS,), staged=())
def laziness_is_kept(xs):
    """Plain only: the prints show that nothing runs before its item is asked for."""

    def shown():
        for x in xs:
            print("next", x)
            if x > 0:
                yield x

    items = shown()
    print("made")
    return [x for x in items], sum(x for x in shown() if x > 3)


@samples((XS,), staged=())
def escaping_generator(xs):
    """Plain only: a generator that is returned stays Python's."""
    items = positive(xs)
    return next(items), [x for x in items]


@samples((5,), (0,))
def products_of_a_generator(n):
    def odd():
        for i in range(n):
            if i % 2:
                yield i

    return list(itertools.accumulate(odd(), operator.mul)), list(itertools.chain(odd(), [9], range(n)))
