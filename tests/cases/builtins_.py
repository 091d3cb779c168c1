"""Python's own functions, called on staged values."""

import numpy as np

from autograph_rs.testing import samples

XS = np.array([3, -1, 4, -1, 5])
FLOATS = np.array([0.5, -2.5, 1.5])


@samples((XS,), (XS[:2],))
def len_of_array(xs):
    if len(xs) > 3:
        return len(xs)
    return len(xs) * 100


@samples((3, 5), (5, 3), (4, 4))
def min_and_max(a, b):
    return min(a, b), max(a, b), max(a, b, 4), min(a - b, 0)


@samples((XS,), (-XS,))
def min_and_max_of_array(xs):
    return min(xs), max(xs), max(xs) - min(xs)


@samples((XS[:0],))
def max_of_nothing_raises(xs):
    return max(list(xs))


@samples((3, -4), (-3, 4))
def min_by_key(a, b):
    return min(a, b, key=abs), max([a, b, 1], key=lambda v: -v)


@samples((XS,), (FLOATS,))
def sum_and_abs(xs):
    return sum(xs), sum(abs(xs)), abs(sum(xs)), sum(xs, 10)


@samples((np.array([[1, 2], [3, 4]]),))
def sum_of_rows(rows):
    return sum(rows)


@samples((XS, 3), (XS, 30), (XS, -3))
def any_and_all(xs, limit):
    return any(xs > limit), all(xs > limit)


@samples((XS,), (-XS,))
def sorted_array(xs):
    return sorted(xs), sorted(xs, reverse=True)


@samples((3, 1, 2), (1, 2, 3))
def sorted_values(a, b, c):
    low, middle, high = sorted([a, b, c])
    return high - low, middle


@samples((XS,), (-XS,))
def mapped(xs):
    return list(map(lambda x: x * 2 if x > 0 else 0, xs))


@samples(
    (XS, XS * 2),
)
def mapped_two(xs, ys):
    total = 0
    for product in map(lambda x, y: x * y, xs, ys):
        total += product
    return total


@samples((XS,), (-XS,))
def filtered(xs):
    return list(filter(lambda x: x > 0, xs))


@samples((2,), (-2,))
def map_over_list(x):
    return sum(map(lambda item: item * x, [1, 2, 3]))


@samples((2.7,), (-2.7,), (0.0,))
def to_int_and_bool(x):
    return int(x), bool(x), float(x) / 2, int(x > 0)


@samples((7,), (-7,))
def to_float(x):
    return float(x) / 2, int(float(x)), bool(x)


@samples((2.5,), (-1.5,), (2.444,))
def rounded(x):
    return round(x), round(x, 1)


@samples((7, 3), (-7, 3))
def arithmetic(a, b):
    return a // b, a % b, a / b, divmod(a, b), pow(a, b), -a, +a, ~a


@samples((6, 3), (5, 2))
def bits(a, b):
    return a & b, a | b, a ^ b, a << b, a >> 1


@samples((3,), (0,))
def list_of_range(n):
    numbers = list(range(n))
    return len(numbers), numbers


@samples((XS,), (-XS,))
def list_of_array(xs):
    items = list(xs)
    return items[0] + items[-1], len(items)


@samples((XS,), (-XS,))
def tuple_of_reversed(xs):
    items = tuple(reversed(xs))
    return items[0], items[1]


@samples((XS,), (FLOATS,))
def list_of_enumerate_and_zip(xs):
    pairs = list(enumerate(xs))
    both = list(zip(xs, xs[1:]))
    return pairs[1], both[0]


@samples((3,), (-3,), ("abc",))
def branch_on_type(x):
    if isinstance(x, str):
        return x
    return x + len([x, x])


@samples((5, 3), (5, 10))
def range_contains(n, x):
    numbers = range(n)
    return x in numbers, len(numbers)


@samples((2,), (0,))
def print_many(x):
    if x > 0:
        print("x", x, "end", sep="-", end=".\n")
    else:
        print()


@samples((3,), (0,))
def any_in_loop(n):
    count = 0
    for i in range(n):
        flags = [i == 0, i > 1, False]
        if any(flags):
            count += 1
        if all(flags[1:2]):
            count += 100
    return count


@samples((XS,), (-XS,))
def item_and_tolist_free(xs):
    return xs.max() + max(0, xs[0]) + abs(min(xs[1], 0))


@samples((1, 2.5), (3, 2.5))
def max_of_int_and_float(a, b):
    return max(a, b) * 2, min(a, b, 2)


@samples((0.0, 2), (1.5, 0))
def truth_of_a_list_of_numbers(x, n):
    found = [x]
    pair = (x, n)
    return bool(found), bool(pair), bool(found[1:])
