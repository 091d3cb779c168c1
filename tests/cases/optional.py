"""Values that are None on some path, until the graph runs."""

import dataclasses

import numpy as np

from autograph_rs.testing import samples

XS = np.array([3.0, -1.0, 4.0, 1.0, -5.0, 9.0])
ONE, TWO = np.float64(1.0), np.float64(2.0)


@samples((XS,), (-abs(XS),), (XS[:0],))
def greatest_positive(xs):
    best = None
    for x in xs:
        if x < 0:
            continue
        if best is None or x > best:
            best = x
    return best


@samples((XS, np.float64(4.0)), (XS, TWO))
def index_of(xs, wanted):
    found = None
    for i in range(len(xs)):
        if xs[i] == wanted:
            found = i
            break
    if found is None:
        return -1
    return found


@samples((ONE,), (-ONE,))
def root_or_none(x):
    if x >= 0:
        return np.sqrt(x)
    return None


@samples((TWO,), (-TWO,))
def calls_what_may_return_none(x):
    root = root_or_none(x)
    if root is not None:
        return root + 1
    return x


@samples((ONE,), (-ONE,))
def default_by_or(x):
    value = None
    if x > 0:
        value = x
    return value or 5.0


@samples((ONE,), (-ONE,))
def default_by_condition(x):
    value = x * 2 if x > 0 else None
    return 0.0 if value is None else value


@samples((ONE,), (-ONE,))
def tested_with_and(x):
    value = None
    if x > 0:
        value = x + 1
    if value is not None and value > 1.5:
        return value
    return 0.0


@samples((ONE,), (-ONE,))
def compared_with_none(x):
    value = None
    if x > 0:
        value = x
    return value == None, value != None, value == 1.0  # noqa: E711


@samples((ONE,), (-ONE,))
def truth_of_what_may_be_none(x):
    value = None
    if x > 0:
        value = x
    if not value:
        return 0.0
    return value


@samples((ONE,), (-ONE,))
def used_while_none(x):
    value = None
    if x > 0:
        value = x
    return value + 1


@samples((ONE,), (-ONE,))
def added_to_while_none(x):
    value = None
    if x > 0:
        value = x
    value += 1
    return value


@samples((XS,), (-XS,))
def method_of_none(xs):
    value = None
    if xs[0] > 0:
        value = xs * 2
    return value.sum()


@samples((XS,), (-XS,))
def loop_over_none(xs):
    values, total = None, 0.0
    if xs[0] > 0:
        values = xs * 2
    for value in values:
        total += value
    return total


@samples((XS,), (-XS,))
def set_to_none_again(xs):
    previous, total = None, 0.0
    for x in xs:
        if previous is not None:
            total += x - previous
        if x < 0:
            previous = None
        else:
            previous = x
    return total, previous


@samples((np.int64(5),), (np.int64(0),))
def last_odd(n):
    last, i = None, 0
    while i < n:
        if i % 2 == 1:
            last = i
        i += 1
    return last


@samples((np.arange(6.0).reshape(2, 3),), (np.zeros((2, 3)),))
def greatest_row(rows):
    best = None
    for row in rows:
        if row.sum() > 4 and (best is None or row.sum() > best.sum()):
            best = row
    return best


def scaled(x, factor=None):
    if factor is None:
        return x
    return x * factor


@samples((ONE,), (-ONE,))
def argument_that_may_be_none(x):
    factor = None
    if x > 0:
        factor = x + 2
    return scaled(10.0, factor)


@samples((ONE,), (-ONE,))
def in_containers(x):
    pair, table = [None, 1.0], {"low": None, "high": 2.0}
    if x > 0:
        pair[0] = x
    else:
        table["low"] = x
    return pair, table


@dataclasses.dataclass
class Extremes:
    least: object = None
    count: int = 0


@samples((XS,), (-abs(XS),))
def in_a_field(xs):
    found = Extremes()
    for x in xs:
        if x < 0:
            continue
        if found.least is None or x < found.least:
            found.least = x
        found.count += 1
    return found.least, found.count


@samples((XS,), (abs(XS),))
def two_that_may_be_none(xs):
    above = below = None
    for x in xs:
        if x > 0 and (above is None or x < above):
            above = x
        if x < 0 and (below is None or x > below):
            below = x
    if above is None or below is None:
        return 0.0
    return above - below


@samples((ONE,), (-ONE,))
def matched(x):
    value = x if x > 0 else None
    match value:
        case None:
            return 0.0
        case _:
            return value


@samples((ONE,), (-ONE,))
def printed(x):
    doubled = None
    if x > 0:
        doubled = x * 2
    print(doubled is None, f"doubled: {doubled}")
    return 0.0 if doubled is None else doubled


@samples((ONE,), (-ONE,))
def passed_to_a_function(x):
    angle, total = None, 0.0
    if x > 0:
        angle = x * 2
    if angle is not None:
        total = np.sin(angle) + x * angle
    return total


@samples((ONE,), (-ONE,))
def on_the_right_of_an_operator(x):
    factor = x * 2 if x > 0 else None
    return np.tanh(x) if factor is None else x**2 - factor


@samples((XS,), (-XS,))
def item_of_what_may_be_none(xs):
    twice = xs * 2 if xs[0] > 0 else None
    return twice[1] if twice is not None and len(twice) > 2 else xs[0]


@samples((TWO,), (ONE,), (-ONE,))
def none_of_two(x):
    first = x if x > 0 else None
    second = x + 1 if x > 1 else None
    if first is None or second is None:
        return -1.0
    return first + second


@samples((ONE,), (-ONE,))
def negated_test(x):
    value = x if x > 0 else None
    if not (value is None):  # noqa: E714
        return value + 1
    return 0.0


@samples((np.float64(3.0),), (-ONE,))
def while_it_is_not_none(x):
    left = x if x > 0 else None
    count = 0
    while left is not None:
        count += 1
        left = left - 1 if left > 1 else None
    return count


@samples((TWO,), (-ONE,))
def converted_to_a_number(x):
    value = x if x > 0 else None
    return float(value) if value else 0.0


@samples((np.array([2, 0, 1]), 2), (np.array([2, 0, 1]), 0))
def links_in_a_list(order, start):
    before = [None] * 4
    for i in range(2):
        before[order[i]] = order[i + 1]
    path, here = [], start
    while here is not None:
        path.append(here)
        here = before[here]
    return path, before


@samples((XS,))
def items_or_none(xs):
    found = []
    for x in xs:
        found.append(x if x > 1 else None)
    total = 0.0
    for item in found:
        if item is not None:
            total += item
    return total, found, None in found, found.count(None)


@samples((np.array([1, 5, 2]), 8), (np.array([3, 3, 9]), 5))
def fewest_to_fill(weights, capacity):
    fewest = [0] + [None] * 8
    for w in weights:
        for c in range(8, -1, -1):
            if c >= w and fewest[c - w] is not None:
                count = fewest[c - w] + 1
                if fewest[c] is None or count > fewest[c]:
                    fewest[c] = count
    return fewest[capacity], fewest


@samples((np.array([3.0, 1.0, 4.0]), np.array([0, 2, 0])), (np.array([3.0]), np.array([1])))
def best_of_each_class(values, classes):
    best = [None, None, None]
    for x, k in zip(values, classes, strict=True):
        if best[k] is None or x > best[k]:
            best[k] = x
    return best


@samples((4,), (0,), (11,))
def memo_table(n):
    memo = [None] * 10
    memo[0] = 1
    i = 0
    while i < n:
        i += 1
        if memo[i] is None:
            memo[i] = memo[i - 1] + i
    return memo


@samples((0,), (-1,), (2,))
def tuple_with_none(i):
    values = (None, 2.0)
    return values[i], [None, None][i]
