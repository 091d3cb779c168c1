"""Arrays and lists whose number of items changes, and slices and masks of staged lengths."""

import numpy as np

from autograph_rs.testing import samples, set_loop_options

XS = np.array([3.0, -1.0, 4.0, -2.5, 5.0])
INTS = np.array([3, 1, 4, 1, 5])


@samples((XS, 0.0), (XS, 3.5), (XS, 9.0))
def appended_under_a_condition(xs, limit):
    out = np.zeros(0)
    for x in xs:
        set_loop_options(maximum_size=5)
        if x > limit:
            out = np.append(out, x)
    return out, len(out), out.sum()


@samples((XS,), (XS[:1],))
def appended_in_each_round(xs):
    out = np.array([1.0])
    for x in xs:
        set_loop_options(maximum_size=6)
        out = np.append(out, x + out[-1])
    return out


@samples((1234,), (7,), (0,))
def digits_before_others(n):
    digits = np.zeros(0, int)
    while n > 0:
        set_loop_options(maximum_size=20)
        digits = np.concatenate([[n % 10], digits])
        n = n // 10
    return digits


@samples((XS, 3), (XS, 0))
def rows_in_a_while(xs, n):
    rows = np.zeros((0, 2))
    i = 0
    while i < n:
        set_loop_options(maximum_size=5)
        rows = np.concatenate([rows, np.array([[xs[i], 2.0 * i]])])
        i += 1
    return rows, rows.sum(axis=0)


@samples((XS,), (-XS,))
def list_under_a_condition(xs):
    found = []
    for x in xs:
        set_loop_options(maximum_size=5)
        if x > 0:
            found.append(x)
            found[0] = found[0] + 1
    return len(found), sum(found), found


@samples((XS, 4), (XS, 1))
def stack_of_numbers(xs, n):
    todo, total = [0], 0.0
    while len(todo) > 0:
        set_loop_options(maximum_size=10)
        i = todo.pop()
        if i < n:
            total += xs[i]
            todo.append(i + 1)
            todo.append(i + 2)
    return total


@samples((XS, 3.0), (XS, 100.0))
def until_enough(xs, enough):
    taken = np.zeros(0)
    for x in xs:
        set_loop_options(maximum_size=5)
        if taken.sum() >= enough:
            break
        taken = np.append(taken, abs(x))
    return taken


@samples((np.array([1.0, 3.0, 4.0, 8.0, 9.0]), 4.0), (np.array([1.0, 3.0, 4.0, 8.0, 9.0]), 0.0))
def halves(xs, wanted):
    while len(xs) > 1:
        set_loop_options(maximum_size=5)
        middle = len(xs) // 2
        if xs[middle] > wanted:
            xs = xs[:middle]
        else:
            xs = xs[middle:]
    return xs[0]


@samples((XS, 3), (XS, 1), (XS, 9), (XS, -2))
def sums_of_a_part(xs, n):
    part = xs[:n]
    return part.sum(), part.max(), part.mean(), np.sort(part)[0], len(part), part * 2


@samples((XS, INTS, 3), (XS, INTS, 5))
def two_parts(xs, ws, n):
    return (xs[:n] * ws[:n]).sum(), xs[:n] @ ws[:n], np.cumsum(xs[n:])


@samples((XS, 3), (XS, 0))
def loop_over_a_part(xs, n):
    total = 0.0
    for i, x in enumerate(xs[:n]):
        total = total + i * x
    for a, b in zip(xs[:n], xs[1:], strict=False):
        total = total - a * b
    return total, [x + 1 for x in xs[:n] if x > 0]


@samples((XS, 2), (XS, 4))
def window(xs, i):
    return xs[i : i + 2].sum(), xs[i - 1 : i + 1] * 3, xs[::-1][:i]


@samples((XS, 2), (XS, 9))
def part_written(xs, n):
    ys = xs * 1.0
    ys[:n] = 0.0
    ys[n:] *= 2
    ys[1:n] = xs[1:n] + 1
    return ys


@samples((XS, 0.0), (XS, 9.0), (XS, -9.0))
def items_of_a_mask(xs, limit):
    some = xs[xs > limit]
    return some, len(some), some.sum(), (some * 2)[:1]


@samples((XS, 2), (XS, 0))
def part_of_either_length(xs, n):
    if n > 1:
        part = xs[:n]
    else:
        part = xs
    return part, part.sum()
