"""Types that differ between branches or grow in loops: NumPy's and Python's numbers together."""

import numpy as np

from autograph_rs.testing import samples


@samples((3,), (-3,))
def int_or_float(x):
    if x > 0:
        y = 1
    else:
        y = 2.5
    return y * 2


@samples((3.0,), (-3.0,))
def constant_or_tensor(x):
    y = 0
    if x > 0:
        y = x
    return y


@samples((3, 0.5), (-3, 0.5))
def int_tensor_or_float_tensor(n, x):
    if n > 0:
        y = n
    else:
        y = x
    return y + 1


@samples((np.array([0.5, 1.5]),), (np.zeros(0),))
def int_start_float_sum(xs):
    total = 0
    for x in xs:
        total += x
    return total


@samples((5,), (1,), (0,))
def int_start_divided(n):
    x = 1
    while n > 0:
        x = x / 2
        n -= 1
    return x


@samples((4,), (0,))
def grows_in_steps(n):
    a = 0
    b = 0
    for i in range(n):
        b = a
        a = i * 0.5
    return a, b


@samples((3,), (-3,))
def bool_or_number(x):
    flag = False
    if x > 0:
        flag = x > 2
    return flag


@samples((3,), (0,))
def bool_counts(n):
    total = 0
    for i in range(n):
        total += i > 0
    return total


@samples((np.array([1, 2, 3]), 0.5), (np.array([-1, -2, -3]), 0.5))
def array_or_its_half(xs, scale):
    ys = xs * scale
    if xs[0] < 0:
        ys = -ys
    return ys


@samples((2, 3.5), (-2, 3.5), (2, 0.5))
def nested_promotion(n, x):
    if n > 0:
        if x > 3:
            y = 1
        else:
            y = x
    else:
        y = n
    return y


@samples((np.float32(1.5),), (np.float32(-1.5),))
def float32_stays(x):
    y = x * 2
    if x > 0:
        y = y + 1
    return y.dtype == np.float32, y


@samples((np.array([1, 2], dtype=np.int32), 3), (np.array([1, 2], dtype=np.int32), -3))
def int32_stays(xs, n):
    ys = xs + 1
    if n > 0:
        ys = ys * 2
    return ys


@samples((70,), (3,))
def python_int_grows(n):
    big = 1
    for _ in range(n):
        big = big * 2
    return big


@samples((3,), (0,))
def scalar_becomes_array(n):
    total = np.zeros(2)
    for i in range(n):
        total = total + i
    if n > 2:
        total = total * np.array([1.0, 10.0])
    return total


@samples((2.0,), (-2.0,))
def minus_infinity_start(x):
    best = float("-inf")
    for candidate in [x, x * 3, -x]:
        if candidate > best:
            best = candidate
    return best


@samples((np.array([4.0, 9.0, 2.0]),), (np.array([]),))
def infinity_start(xs):
    best = float("inf")
    where = -1
    for i, x in enumerate(xs):
        if x < best:
            best = x
            where = i
    return best, where


@samples((2,), (-2,))
def true_division_in_branch(x):
    if x > 0:
        x = x / 4
    return x


@samples((2,), (-2,))
def string_state(x):
    name = "start"
    if x > 0:
        name = "up"
    for i in range(2):
        if x < i:
            name = "down"
    return name
