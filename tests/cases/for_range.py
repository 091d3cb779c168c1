"""`for` over `range`, with a length that may be known only at run time."""

import numpy as np

from autograph_rs.testing import samples


@samples((5,), (0,), (-3,))
def stop(n):
    total = 0
    for i in range(n):
        total += i
    return total


@samples((2, 6), (6, 2), (-2, 2))
def start_and_stop(a, b):
    total = 0
    for i in range(a, b):
        total += i * i
    return total


@samples((0, 10, 3), (10, 0, -4), (0, 10, -1), (5, 6, 100))
def with_step(a, b, step):
    count = 0
    last = -1
    for i in range(a, b, step):
        count += 1
        last = i
    return count, last


@samples((10, 2), (3, 0))
def zero_step_raises(n, step):
    total = 0
    for i in range(0, n, step):
        total += i
    return total


@samples((5,), (0,))
def counting_down(n):
    for i in range(n, 0, -1):
        print(i)
    print_end = n * 0
    return print_end


@samples((4,), (1,), (0,))
def triangle(n):
    total = 0
    for i in range(n):
        for j in range(i + 1):
            total += i * j
    return total


@samples((3,), (0,))
def target_after_loop(n):
    for i in range(n):
        pass
    return i


@samples((7, 3), (0, 3))
def target_changed_in_body(n, step):
    total = 0
    for i in range(n):
        i = i * step
        total += i
    return total


@samples((3,), (0,))
def stop_is_read_once(n):
    total = 1
    for _ in range(n):
        n += 1
        total *= 2
    return n, total


@samples((5,), (1,))
def float_arithmetic(n):
    total = 0.0
    for i in range(1, n + 1):
        total += 1 / i
    return total


@samples((2.0,), (-1.0,))
def static_range(x):
    y = 1.0
    for i in range(4):
        y = y * x + i
    return y


@samples((np.array([1, 2, 3]),), (np.array([5]),), (np.zeros(0),))
def over_indices(xs):
    total = 0
    for i in range(len(xs)):
        total += i * xs[i]
    return total


@samples((np.ones((2, 3)),))
def over_shape(xs):
    total = 0.0
    for i in range(xs.shape[0]):
        for j in range(xs.shape[1]):
            total += xs[i, j] * (i + j)
    return total


@samples((4,), (0,))
def in_variable(n):
    numbers = range(n)
    total = 0
    for i in numbers:
        total += i
    for i in numbers:
        total += i * i
    return total


@samples((6,), (0,))
def over_arange(n):
    total = 0
    for i in np.arange(n):
        if i % 2:
            total += i
    return total


@samples((6, 3), (6, 9), (0, 3))
def last_that_fits(n, limit):
    best = -1
    for i in range(n):
        if i * 2 <= limit:
            best = i
    return best


@samples((3, 4), (0, 4), (2, 0))
def bound_in_body(n, x):
    for i in range(n):
        y = x * i
    return y


@samples((5,), (9,))
def parity_of_sum(n):
    even = True
    for i in range(n):
        if i % 3 == 0:
            even = not even
    return even
