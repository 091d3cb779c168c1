"""`for` over a plain `range` that a staged condition ends: its rest is one staged loop where that is possible."""

import numpy as np

from autograph_rs.testing import samples


@samples((2.0,), (9.0,), (0.5,))
def root_by_newton(a):
    x = a
    for _ in range(30):
        step = (x * x - a) / (2.0 * x)
        x = x - step
        if abs(step) < 1e-6:
            break
    return x


@samples((3.0,), (90.0,), (-1.0,))
def counter_after_break(limit):
    total = 0.0
    for i in range(3, 40, 2):
        total += i
        if total > limit:
            break
    return total, i


@samples((20.0,), (1000.0,))
def counting_down_to_a_limit(limit):
    total = 0.0
    count = 0
    for i in range(20, 0, -1):
        if i % 3 == 0:
            continue
        total += i
        count += 1
        if total > limit:
            break
    return total, count


@samples((5.0,), (500.0,), (-5.0,))
def else_of_a_rolled_loop(limit):
    total = 0.0
    for i in range(12):
        total = total + i
        if total > limit:
            break
    else:
        total = -1.0
    return total


@samples((7.0,), (70.0,), (1000.0,))
def returns_from_nested_ranges(limit):
    total = 0.0
    for i in range(10):
        for j in range(10):
            total = total + 1.0
            if total > limit:
                return total, i, j
    return total, -1, -1


@samples((4.0,), (900.0,))
def first_and_last_iterations_differ(limit):
    best = 0.0
    total = 0.0
    for i in range(12):
        if i == 0:
            best = -1.0
        elif i == 11:
            best = 100.0
        total += i
        if total > limit:
            break
    return best, total


@samples((np.array([1.0, 2.0]),), (np.array([0.0, 0.0]),))
def weights_in_a_list(x):
    weights = [0.5 * k for k in range(12)]
    for i in range(12):
        x = x * 0.5 + weights[i]
        if x.sum() > 4.0:
            break
    return x


@samples((3.0,), (100.0,))
def unlike_items_by_the_counter(limit):
    values = [1, 2.5, 3] * 4
    total = 0.0
    for i in range(12):
        total += values[i] / 2
        if total > limit:
            break
    return total


@samples((3.0,), (100.0,))
def keys_by_the_counter(limit):
    values = {i: float(i) for i in range(0, 12)}
    total = 0.0
    for i in range(12):
        total += values[i] + {3: 5.0}.get(i, 0.25)
        if total > limit:
            break
    return total


@samples((3.0,), (100.0,))
def iterator_advanced_by_the_body(limit):
    rest = iter([float(k) for k in range(12)])
    total = 0.0
    for _ in range(12):
        total += next(rest)
        if total > limit:
            break
    return total


@samples((3.0,), (1.5,))
def python_numbers_of_any_size(limit):
    total = 0.0
    for i in range(40):
        total += 1.0 / 2**i
        if total > limit:
            break
    return total


@samples((10.0,), (1000.0,))
def prints_in_each_iteration(limit):
    total = limit * 0.0
    for i in range(12):
        total += i
        print("iteration", i, total)
        if total > limit:
            break
    return total


@samples((10.0,), (1000.0,))
def handler_around_the_counter(limit):
    total = 0.0
    for i in range(12):
        try:
            size = len([0] * i)
        except TypeError:
            size = -100
        total += size
        if total > limit:
            break
    return total
