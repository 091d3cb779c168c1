"""`for` over `enumerate`, `zip` and `reversed`."""

import numpy as np

from autograph_rs.testing import samples

A = np.array([3, 1, 2])
B = np.array([0.5, 2.0, 4.0])


@samples((A,), (A[:0],))
def enumerated(xs):
    total = 0
    for i, x in enumerate(xs):
        total += i * x
    return total


@samples((A, 10), (A, -1))
def enumerated_from(xs, start):
    total = 0
    for i, x in enumerate(xs, start):
        total += i * x
    return total


@samples((A,), (-A,))
def enumerated_one_name(xs):
    total = 0
    for pair in enumerate(xs):
        total += pair[0] - pair[1]
    return total


@samples((A, B), (A, -B))
def zipped(xs, ys):
    total = 0
    for x, y in zip(xs, ys):
        total += x * y
    return total


@samples((A, B[:2]), (A[:1], B), (A[:0], B))
def zipped_to_shortest(xs, ys):
    count = 0
    for x, y in zip(xs, ys):
        if x > y:
            count += 1
    return count, x, y


@samples((A, 2), (A, 0), (A, 10))
def zipped_with_range(xs, n):
    total = 0
    for i, x in zip(range(n), xs):
        total += x * 10**i
    return total


@samples((A,), (-A,))
def zipped_with_list(xs):
    total = 0
    for x, weight in zip(xs, [1, 10, 100]):
        total += x * weight
    return total


@samples(
    (A, B),
)
def enumerated_zip(xs, ys):
    total = 0.0
    for i, (x, y) in enumerate(zip(xs, ys)):
        if i > 0:
            total += x / y
    return total


@samples(
    (A, B, A * 2),
)
def zipped_three(xs, ys, zs):
    largest = 0.0
    for x, y, z in zip(xs, ys, zs):
        largest = max(largest, x * y - z)
    return largest


@samples((A,), (np.array([1, 1, 1]),))
def neighbours(xs):
    ascents = 0
    for a, b in zip(xs, xs[1:]):
        if a < b:
            ascents += 1
    return ascents


@samples((A,), (A[:0],))
def reversed_array(xs):
    number = 0
    for x in reversed(xs):
        number = number * 10 + x
    return number


@samples((4,), (0,))
def reversed_range(n):
    number = 0
    for i in reversed(range(n)):
        number = number * 10 + i
    return number


@samples((5, 2), (0, 2))
def enumerated_range(n, step):
    total = 0
    for i, j in enumerate(range(1, n, step)):
        total += i * j
    return total


@samples((A, 1), (A, 3), (A, 9))
def break_in_enumerate(xs, wanted):
    for i, x in enumerate(xs):
        if x == wanted:
            break
    return i, x


@samples((np.array([[1, 2], [3, 4]]), np.array([10, 20])))
def zip_rows_with_scale(rows, scales):
    total = np.zeros(2)
    for (a, b), scale in zip(rows, scales):
        total = total + np.array([a, b]) * scale
    return total
