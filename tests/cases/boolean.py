"""`and`, `or`, `not`, `a if c else b`, chained comparisons, `in`, `is`: order and short-circuit."""

import numpy as np

from autograph_rs.testing import samples

XS = np.array([2, 7, 1])


def shown(x):
    """`x`, and a line that tells that it was evaluated."""
    print("shown", x)
    return x


@samples((3, 5), (-3, 5), (3, -5), (-3, -5))
def both(a, b):
    if a > 0 and b > 0:
        return 1
    return 0


@samples((3, 5), (-3, 5), (-3, -5))
def either(a, b):
    return a > 0 or b > 0


@samples((3,), (-3,), (0,))
def negation(x):
    if not x > 0:
        x = x - 1
    return not x, x


@samples((1, 2, 3), (1, -2, 3), (-1, -2, -3), (-1, 2, -3))
def many_operands(a, b, c):
    return (a > 0 and b > 0 and c > 0), (a > 0 or b > 0 or c > 0), (a > 0 and (b > 0 or c > 0))


@samples((10, 3), (10, 0), (1, 3))
def guarded_division(x, n):
    if n != 0 and x // n > 1:
        return x // n
    return -1


@samples((XS, 1), (XS, 5), (XS, 0))
def guarded_index(xs, i):
    if i < len(xs) and xs[i] > 3:
        return xs[i]
    return 0


@samples((XS, 7), (XS, 5))
def guarded_index_in_loop(xs, wanted):
    i = 0
    while i < len(xs) and xs[i] != wanted:
        i += 1
    return i


@samples((3, 5), (0, 5), (3, 0), (0, 0))
def operands_are_values(a, b):
    return a and b, a or b


@samples((3,), (0,))
def default_by_or(x):
    y = x or 10
    return y * 2


@samples((3, 5), (5, 3))
def conditional(a, b):
    return a if a > b else b


@samples((5,), (-5,), (0,), (50,))
def nested_conditional(x):
    return "big" if x > 10 else "positive" if x > 0 else "zero" if x == 0 else "negative"


@samples((4.0,), (0.0,), (-4.0,))
def conditional_guards(x):
    return 8 / x if x > 0 else 0.0


@samples((4,), (-4,))
def conditional_in_call(x):
    return max(x if x > 0 else -x, 2) + (1 if x < 0 else 0)


@samples((4,), (-4,))
def conditional_prints_one(x):
    return shown(x) if x > 0 else shown(-x)


@samples((5, 0, 10), (-5, 0, 10), (50, 0, 10))
def chained_comparison(x, low, high):
    return low <= x < high


@samples((1, 2, 3), (1, 3, 2), (3, 2, 1), (1, 1, 2))
def chained_four(a, b, c):
    if a < b < c > 0 != a:
        return "rising"
    return "not rising"


@samples((1, 2, 3), (2, 1, 3), (1, 3, 2))
def chained_with_side_effects(a, b, c):
    return shown(a) < shown(b) < shown(c)


@samples((3,), (0,), (-1,))
def short_circuit_prints(x):
    return bool(shown(x) and shown(x + 1) or shown(x + 2))


@samples((1,), (2,), (5,), (8,))
def in_tuple(x):
    if x in (1, 2, 3):
        return 1
    if x not in [5, 6, 7]:
        return 2
    return 3


@samples((XS, 7), (XS, 5))
def in_array(xs, x):
    return x in xs, x not in xs


@samples((3, None), (3, 4), staged=[(np.int64(3), None), (np.int64(3), np.int64(4))])
def is_none(x, bias):
    if bias is None:
        bias = 10
    return x + bias


@samples((3,), (None,))
def is_not_none(x):
    return x * 2 if x is not None else 0


@samples((np.array([4, 9, 2]),), (np.array([9, 4, 2]),), (np.zeros(0),), staged=())
def best_so_far(xs):
    """Plain only: `best` is None or a number, which have no common staged type."""
    best = None
    for x in xs:
        if best is None or x > best:
            best = x
    return best


@samples((5, True), (5, False), (-5, True))
def flags(x, enabled):
    active = enabled and x > 0
    inactive = not active
    return active, inactive, active != inactive


@samples((np.array([1, 5, 9]), 4), (np.array([1, 2, 3]), 4))
def any_and_all(xs, limit):
    if (xs > limit).any() and not (xs > limit).all():
        return (xs > limit) & (xs < 2 * limit)
    return (xs > limit) | (xs == 1)


@samples((3, 4), (4, 3))
def comparison_as_number(a, b):
    return (a < b) + (a > b) * 2 + (a == b) * 4


@samples((2,), (3,), (5,))
def condition_in_while(x):
    y = 100
    while (y > 10 if x > 2 else y > 50) and not (y % 7 == 0):
        y -= x
    return y


@samples(([1],), ([],), (None,), ("",), ({"a": 1},))
def truth_of_objects(thing):
    if thing:
        return "full"
    return "empty" if thing is not None else "none"


@samples((float("nan"), 1.0), (2.0, 1.0), (1.0, float("nan")))
def nan_comparisons(a, b):
    return a < b, a > b, a == b, a != a, not a <= b


@samples(((1, 2), [1]), ((1, 3), [0]))
def is_and_identity(pair, items):
    same = items
    return same is items, pair == (1, 2), items is not None and items[0] == 1
