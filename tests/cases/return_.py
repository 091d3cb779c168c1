"""Early returns outside loops: they become nesting."""

import numpy as np

from autograph_rs.testing import samples


@samples((3,), (-3,))
def one_early(x):
    if x < 0:
        return 0
    return x


@samples((-5,), (5,), (50,), (500,))
def many(x):
    if x < 0:
        return -1
    if x < 10:
        return x
    if x < 100:
        return x * 2
    return x * 3


@samples((3,), (-3,))
def in_both(x):
    if x > 0:
        return "positive"
    else:
        return "not positive"


@samples((3,), (-3,))
def in_else(x):
    if x > 0:
        y = x + 1
    else:
        return x
    y = y * 2
    return y


@samples((1, 1), (1, -1), (-1, 1), (-1, -1))
def nested(x, y):
    if x > 0:
        if y > 0:
            return 1
        x = x + 10
    else:
        if y < 0:
            return 2
        y = y + 20
    return x + y


@samples((4,), (-4,), staged=())
def none_or_value(x):
    """Plain only: None and a number have no common staged type."""
    if x > 0:
        return x
    return None


@samples((4,), (-4,), (0,), staged=())
def falls_through(x):
    """Plain only: where no `return` is met the result is None."""
    if x > 0:
        return x
    elif x == 0:
        return


@samples((4,), (-4,), (0,))
def bare(x):
    """Every path returns None, so this one stages."""
    if x > 0:
        print("positive")
        return
    if x < 0:
        print("negative")
        return
    print("zero")


@samples((7, 2), (2, 7))
def tuples(a, b):
    if a > b:
        return a, b, a - b
    return b, a, 0


@samples((3.0,), (-3.0,))
def dicts(x):
    if x > 0:
        return {"sign": 1, "value": x}
    return {"sign": -1, "value": -x}


@samples((np.array([1.0, 2.0]),), (np.array([-1.0, -2.0]),))
def arrays(xs):
    total = xs.sum()
    if total < 0:
        return -xs
    return xs + total


@samples((5,), (15,), (25,), (35,))
def code_between(x):
    y = x * 2
    if y < 20:
        return y
    y = y - 5
    if y < 40:
        return y
    z = y + x
    if z > 85:
        z = 85
        return z
    return z + y


@samples((3, 5), (9, 5), (5, 5))
def compare(a, b):
    if a < b:
        return -1
    elif a > b:
        return 1
    return 0


@samples((3,), (-3,))
def code_after_is_dead(x):
    if x > 0:
        return x
    else:
        return -x
    print("never")  # noqa


@samples((0,), (1,), (9,))
def return_of_conditional(x):
    if x == 0:
        return 100
    return x if x > 5 else -x


@samples((4.0,), (0.0,), (-4.0,))
def guarded_division(x):
    if x == 0:
        return 0.0
    return 1 / x


@samples((0,), (1,), (2,), (3,), (4,), (5,), (6,), (7,), (8,), (9,))
def ten_returns(x):
    if x == 0:
        return 3
    if x == 1:
        return 1
    if x == 2:
        return 4
    if x == 3:
        return 1
    if x == 4:
        return 5
    if x == 5:
        return 9
    if x == 6:
        return 2
    if x == 7:
        return 6
    if x == 8:
        return 5
    return -1


def sign(x):
    if x > 0:
        return 1
    if x < 0:
        return -1
    return 0


@samples((3,), (0,), (-3,))
def from_helper(x):
    if sign(x) == 0:
        return 100
    return sign(x) * 10
