"""Returns that leave something: a `with`, a `try`, one loop or several."""

import contextlib

import numpy as np

from autograph_rs.testing import samples


class Log:
    """A context manager that writes its life to a list."""

    def __init__(self):
        self.lines = []

    def __enter__(self):
        self.lines.append("enter")
        return self

    def __exit__(self, *error):
        self.lines.append("exit" if error[0] is None else error[0].__name__)
        return False


@samples((3,), (-3,))
def in_with(x):
    with contextlib.nullcontext():
        if x > 0:
            return x
        x = x - 1
    return x * 10


@samples((3,), (-3,))
def in_with_that_logs(x):
    log = Log()
    y = x
    with log:
        if x > 0:
            y = x * 2
    return y, log.lines


@samples((3,), (-3,))
def in_try(x):
    try:
        if x > 0:
            return x
        x = x * 2
    except ValueError:
        return 0
    return x - 1


@samples((3,), (0,), staged=())
def in_except(x):
    """Plain only: dividing NumPy numbers by zero warns instead of raising."""
    try:
        return 6 // x
    except ZeroDivisionError as error:
        return str(error)


@samples((3,), (-3,), staged=())
def in_try_with_finally(x):
    """Plain only: the print is outside any staged statement, so it belongs to the trace."""
    try:
        if x > 0:
            return x
    finally:
        print("finally", x)
    return -x


@samples((3,), (-3,))
def finally_changes_too_late(x):
    try:
        if x > 0:
            return x
        x = x - 1
    finally:
        x = 100
    return x


@samples((3,), (-3,))
def in_try_else(x):
    try:
        y = x + 1
    except TypeError:
        return 0
    else:
        if x > 0:
            return y
    return y * 2


@samples((10, 3), (10, 20), (0, 3))
def in_while(n, limit):
    i = 0
    while i < n:
        if i * i > limit:
            return i
        i += 1
    return -1


@samples((5,), (40,))
def in_while_true(x):
    steps = 0
    while True:
        if x > 30:
            return steps
        x = x * 2
        steps += 1


@samples((np.array([4, 7, 9]), 7), (np.array([4, 7, 9]), 5), (np.array([5, 7, 5]), 5))
def in_for(xs, wanted):
    for i, x in enumerate(xs):
        if x == wanted:
            return i
    return -1


@samples((6, 12), (6, 35), (3, 100))
def two_deep(n, product):
    for i in range(1, n):
        for j in range(i, n):
            if i * j == product:
                return i, j
    return 0, 0


@samples(
    (np.array([[1, 2], [3, -4]]),),
    (np.array([[1, 2], [3, 4]]),),
    (np.array([[-1, 2], [3, 4]]),),
    (np.array([[90, 20], [3, -4]]),),
)
def first_negative(rows):
    for row in rows:
        for x in row:
            if x < 0:
                return x
        if row.sum() > 100:
            return 100
    return 0


@samples((5, 3), (5, 8))
def in_for_else(n, wanted):
    for i in range(n):
        if i == wanted:
            found = i * 10
            break
    else:
        return -1
    return found


@samples((5, 3), (5, 8))
def in_while_else(n, wanted):
    i = 0
    while i < n:
        if i == wanted:
            return 100
        i += 1
    else:
        i = i * 2
        return i
    return -1


@samples((np.array([1.0, 2.0, 4.0]), 2.5), (np.array([1.0, 2.0, 4.0]), 50.0))
def in_loop_in_with(xs, limit):
    total = 0.0
    with contextlib.nullcontext(3.0) as start:
        for x in xs:
            total += x
            if total > limit:
                return total
    return total + start


@samples((np.array([1, 2, 4]), 2), (np.array([1, 2, 4]), 50))
def in_with_in_loop(xs, limit):
    total = 0
    for x in xs:
        with contextlib.nullcontext():
            if x > limit:
                return total
            total += x
    return total * 100


@samples((np.array([1, 2, 4]), 2), (np.array([1, 2, 4]), 50))
def in_try_in_loop(xs, limit):
    seen = 0
    for x in xs:
        try:
            if x > limit:
                return x
        finally:
            seen += 1
    return -seen


@samples((4, 6), (4, 60), (0, 6))
def in_try_around_nested_loops(n, limit):
    total = 0
    try:
        for i in range(n):
            j = 0
            while j < i:
                total += j
                if total > limit:
                    return total
                j += 1
            total += 1
    except ValueError:
        return -1
    return total * 100


@samples(
    (3, [1, 2, 3]),
    (8, [1, 2, 3]),
    (3, []),
    staged=[(np.int64(3), [1, 2, 3]), (np.int64(8), [1, 2, 3])],
)
def in_unrolled_loop(x, items):
    for item in items:
        if item == x:
            return item * 10
    return x


@samples((1,), (5,), (12,), (100,))
def while_with_three_returns(x):
    while x < 50:
        if x % 5 == 0:
            return x
        if x % 6 == 0:
            return -x
        x += 1
    return 0


@samples((3, 5), (0, 5), (4, 1))
def dict_in_a_tuple(n, limit):
    found = {"at": n, "limit": limit}
    for i in range(n):
        if i >= limit:
            return (found, i)
    return (found, -1)


@samples((3, 5), (0, 5))
def nested_dict_from_any_round(n, start):
    found = {"start": start, "parts": {"half": start / 2}}
    for i in range(n):
        return [found, i]
    return [found, n]
