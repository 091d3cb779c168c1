"""`if`, `elif`, `else`: which names the branches change, and who reads them later."""

import numpy as np

from autograph_rs.testing import samples


@samples((3,), (0,), (-2,))
def absolute(x):
    if x < 0:
        x = -x
    return x


@samples((5.0,), (-5.0,))
def both_branches_bind(x):
    if x > 0:
        y = x * 2
    else:
        y = x - 1
    return y


@samples((1, 1), (-1, 1), (-1, -1), (1, -1))
def nested_if(x, y):
    if x > 0:
        if y > 0:
            quadrant = 1
        else:
            quadrant = 4
    else:
        if y > 0:
            quadrant = 2
        else:
            quadrant = 3
    return quadrant


@samples((4, 10), (3, 10))
def aug_assign(x, total):
    if x % 2 == 0:
        total += x
    else:
        total -= 1
    total *= 2
    return total


@samples((2,), (-2,))
def result_unused(x):
    y = 1
    if x > 0:
        y = x * 3
    y = x + 1
    return y


@samples((2,), (-2,))
def never_read(x):
    if x > 0:
        unused = x * 2  # noqa: F841
    return x


@samples((4.0,), (-4.0,), (9.0,))
def same_condition_twice(x):
    if x > 0:
        root = np.sqrt(x)
    y = x + 1
    if x > 0:
        y = y + root
    return y


@samples((1,), (-1,), (2,))
def unbound_in_else(x):
    if x > 0:
        y = x
    return y


@samples((-1,), (1,))
def unbound_in_then(x):
    if x > 0:
        pass
    else:
        y = x
    return y + 1


@samples((20,), (5,), (-5,))
def unbound_in_nested(x):
    if x > 0:
        if x > 10:
            y = x - 10
        else:
            y = x
    return y * 2


@samples((7,), (3,), (-1,))
def unbound_but_not_read(x):
    if x > 0:
        y = x
    z = x
    if x > 5:
        z = z + y
    return z


@samples((3, 1), (1, 3), (2, 2))
def tuple_target(x, y):
    if x > y:
        big, small = x, y
    else:
        big, small = y, x
    return big - small, small


@samples((3, 1), (1, 3))
def swap(a, b):
    if a > b:
        a, b = b, a
    return a, b


@samples((1, 2, 3), (-1, 2, 3))
def starred_target(a, b, c):
    if a > 0:
        head, *tail = a, b, c
    else:
        head, *tail = c, b, a
    return head, tail


@samples((1,), (0,))
def chained_target(x):
    if x > 0:
        a = b = x
    else:
        a = b = 10
    a += 1
    return a, b


@samples((0,), (1,), (2,), (3,), (4,), (5,), (6,), (7,))
def six_elifs(x):
    if x == 0:
        y = 10
    elif x == 1:
        y = 21
    elif x == 2:
        y = 32
    elif x == 3:
        y = 43
    elif x == 4:
        y = 54
    elif x == 5:
        y = 65
    elif x == 6:
        y = 76
    else:
        y = -x
    return y


@samples(*((i,) for i in range(31)))
def thirty_arms(month):
    if month == 0:
        days = 1
    elif month == 1:
        days = 31
    elif month == 2:
        days = 28
    elif month == 3:
        days = 33
    elif month == 4:
        days = 30
    elif month == 5:
        days = 35
    elif month == 6:
        days = 36
    elif month == 7:
        days = 37
    elif month == 8:
        days = 38
    elif month == 9:
        days = 39
    elif month == 10:
        days = 40
    elif month == 11:
        days = 41
    elif month == 12:
        days = 42
    elif month == 13:
        days = 43
    elif month == 14:
        days = 44
    elif month == 15:
        days = 45
    elif month == 16:
        days = 46
    elif month == 17:
        days = 47
    elif month == 18:
        days = 48
    elif month == 19:
        days = 49
    elif month == 20:
        days = 50
    elif month == 21:
        days = 51
    elif month == 22:
        days = 52
    elif month == 23:
        days = 53
    elif month == 24:
        days = 54
    elif month == 25:
        days = 55
    elif month == 26:
        days = 56
    elif month == 27:
        days = 57
    elif month == 28:
        days = 58
    elif month == 29:
        days = 59
    else:
        days = 0
    return days


@samples((0,), (3,), (0.0,), (0.5,))
def truth_of_number(x):
    if x:
        y = 1
    else:
        y = 0
    return y


@samples((np.array([0, 0]),), (np.array([0, 2]),))
def truth_of_any(xs):
    total = 0
    if xs.any():
        total = xs.sum()
    return total


@samples((np.array([1.0, 2.0]),), (np.array([[1.0, -2.0]]),), (np.array([3.0]),))
def truth_of_array_is_ambiguous(xs):
    if xs > 0:
        xs = xs * 2
    return xs


@samples((np.array([3.0, 1.0]),), (np.array([0.25, 0.5]),))
def array_in_branch(xs):
    if xs.sum() > 1:
        xs = xs / xs.sum()
    return xs


@samples((np.arange(5), 1), (np.arange(5), -1))
def shapes_of_branches_differ(xs, n):
    if n > 0:
        ys = xs[:2]
    else:
        ys = xs
    return ys * 10


@samples((1,), (-1,), (0,))
def print_in_branches(x):
    if x > 0:
        print("positive", x)
    elif x < 0:
        print("negative", x)
    else:
        print("zero")


@samples((12,), (6,), (-3,))
def f_string_in_branch(x):
    if x > 0:
        print(f"{x} is positive, {x // 2} is its half")
    else:
        print(f"{x!s:>5}|")


@samples((5,), (50,), (500,), (5000,), (50000,), (-5,))
def five_deep(x):
    depth = 0
    if x > 0:
        depth = 1
        if x > 10:
            depth = 2
            if x > 100:
                depth += 1
                if x > 1000:
                    depth += 1
                    if x > 10000:
                        depth = 5
    return depth * x


@samples(
    (3, True),
    (3, False),
    (-3, True),
    staged=[(np.int64(3), True), (np.int64(-3), True), (np.int64(3), False)],
)
def static_and_staged(x, double):
    """`double` is a Python value: its `if` is decided while tracing."""
    if double:
        if x > 0:
            x = x * 2
        name = "double"
    else:
        name = "single"
    return x, name


@samples((2, 3), (-2, 3))
def one_depends_on_other(x, y):
    if x > 0:
        x = x + y
        y = x * y
    else:
        y = x - y
        x = y + y
    return x, y


@samples((1,), (-1,))
def only_else(x):
    y = x
    if x > 0:
        pass
    else:
        y = y - 10
    return y


@samples(("b",), ("a",), ("",))
def on_strings(name):
    if name == "a":
        kind = "first"
    elif not name:
        kind = "none"
    else:
        kind = "other"
    return kind


@samples((5, 1, 10), (0, 1, 10), (11, 1, 10))
def clamp(x, low, high):
    if x < low:
        x = low
    if x > high:
        x = high
    return x
