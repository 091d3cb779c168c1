"""`:=` in tests, in operands and in comprehensions."""

import numpy as np

from autograph_rs.testing import samples


@samples((3,), (-3,))
def in_if(x):
    if (y := x * 2) > 0:
        return y + 1
    return y - 1


@samples((20,), (1,))
def in_while(n):
    i = 0
    while (square := i * i) < n:
        i += 1
    return i, square


@samples((6,), (0,))
def side_effect_in_while(n):
    total = 0
    while (n := n - 1) > 0:
        total += n
    return total, n


@samples((6,), (3,), (0,))
def in_while_with_jumps(n):
    total = 0
    while (n := n - 1) >= 0:
        if n == 4:
            continue
        if n == 2:
            break
        total += n
    return total, n


@samples((3, 4), (-3, 4), (3, -4))
def in_both_operands(a, b):
    c = 0
    if (a2 := a + 1) > 0 and (c := b * 2) > 0:
        return a2 + c
    return a2 - c


@samples((3, 4), (-3, 4))
def skipped_by_and(a, b):
    a > 0 and (c := b)
    return c


@samples((3,), (-3,), (30,))
def in_elif(x):
    if (y := x) < 0:
        z = y
    elif (y := x + 1) > 10:
        z = y * 2
    else:
        z = y * 3
    return y, z


@samples((3,), (-3,))
def in_conditional(x):
    z = (y := x) if x > 0 else (y := -x * 2)
    return y + z


@samples(([1, 5, 2, 8],), ([],))
def in_comprehension(items):
    last = 0
    doubled = [last for item in items if (last := item * 2) > 3]
    return doubled, last


@samples((4,), (-1,))
def in_static_comprehension(x):
    total = 0
    sums = [total := total + x * i for i in range(4)]
    return sums, total


@samples((np.array([1.0, 2.0, 3.0]),))
def in_argument(xs):
    y = np.sqrt(total := xs.sum()) + total
    return y, total


@samples((5, 2), (2, 5), (5, 5), (5, 20))
def in_comparison(a, b):
    if (low := min(a, b)) < (high := max(a, b)) < 10:
        return high - low
    return low


@samples((3,), (0,))
def changed_in_the_branch_of_its_test(k):
    if value := k:
        value = 1
        return value
    return value


@samples((3,), (0,), (9,))
def read_in_the_body_of_its_test(n):
    total = 0
    while (m := n - 1) > 0:
        total += m
        n = m
    return total
