"""`for` over arrays: one step for each element or row of the first axis."""

import contextlib

import numpy as np

from autograph_rs.testing import samples

FLOATS = np.array([1.5, -2.0, 4.0])
INTS = np.array([3, -1, 4, -1, 5])
ROWS = np.array([[1, 2], [3, 4], [5, 6]])
NOTHING = np.zeros(0)


@samples((FLOATS,), (-FLOATS,), (NOTHING,))
def relu_sum(xs):
    total = 0.0
    for x in xs:
        if x > 0:
            total += x
    return total


@samples((ROWS,), (ROWS[:0],))
def over_rows(rows):
    total = np.zeros(2)
    for row in rows:
        total = total + row * row
    return total


@samples((ROWS,), (ROWS * -1,))
def rows_and_columns(rows):
    best = 0
    for row in rows:
        for x in row:
            if x > best:
                best = x
    return best


@samples((ROWS,))
def unpacked_rows(pairs):
    total = 0
    for a, b in pairs:
        total += a * b
    return total


@samples((INTS,), (-INTS,))
def target_after_loop(xs):
    for x in xs:
        pass
    return x * 10


@samples((NOTHING,), (np.ones(2),))
def target_after_zero_trip(xs):
    total = 0.0
    for x in xs:
        total += x
    return x + total


@samples((np.zeros(0),), (np.array([7.0]),))
def target_bound_before(xs):
    x = -1.0
    for x in xs:
        x = x * 2
    return x


@samples((INTS,), (INTS[::-1],))
def minimum_and_maximum(xs):
    low = high = xs[0]
    for x in xs[1:]:
        if x < low:
            low = x
        elif x > high:
            high = x
    return low, high


@samples((INTS,), (-INTS,))
def with_print(xs):
    for x in xs:
        if x > 0:
            print("up", x)
        else:
            print("down", -x)


@samples(
    (np.array([0.5, 0.25]), 1.0),
)
def state_is_array(xs, start):
    state = np.array([1.0, 0.0])
    for x in xs:
        state = np.tanh(state * x) + start
    return state


@samples((np.array([True, False, True]),), (np.array([False, False, False]),))
def over_bools(flags):
    count = 0
    for flag in flags:
        if flag:
            count += 1
    return count


@samples((INTS,), (INTS[:1],))
def count_changes(xs):
    changes = 0
    previous = xs[0]
    for x in xs:
        changes += x != previous
        previous = x
    return changes


@samples((np.arange(24).reshape(2, 3, 4),))
def three_axes(cube):
    total = 0
    for plane in cube:
        for row in plane:
            total = total * 2 + row.max()
    return total


@samples((INTS, 2), (INTS, 100))
def changes_target(xs, step):
    total = 0
    for x in xs:
        x = x + step
        if x > 5:
            x = 0
        total += x
    return total


@samples((FLOATS,))
def over_expression(xs):
    total = 0.0
    for x in np.abs(xs)[::2] * 2:
        total += x
    return total


@samples((INTS,), (INTS + 10,))
def two_loops(xs):
    total = 0
    for x in xs:
        total += x
    count = 0
    for x in xs:
        if x * len(xs) > total:
            count += 1
    return count


@samples((INTS, 4), (INTS, 40))
def return_in_loop(xs, wanted):
    for x in xs:
        if x == wanted:
            return True
    return False


@samples((ROWS, 4), (ROWS, 40), (ROWS, 1))
def return_two_deep(rows, wanted):
    seen = 0
    for row in rows:
        for x in row:
            if x == wanted:
                return seen
            seen += 1
    return -1


@samples((INTS, 4), (INTS, 40))
def return_in_with_in_loop(xs, wanted):
    position = 0
    with contextlib.nullcontext():
        for x in xs:
            with contextlib.nullcontext(1) as step:
                if x == wanted:
                    return position
                position += step
    return -position


@samples((INTS, 4), (INTS, 40))
def return_in_try_in_loop(xs, wanted):
    position = 0
    try:
        for x in xs:
            try:
                if x == wanted:
                    return position
            finally:
                position += 1
    except ValueError:
        return 0
    return -position
