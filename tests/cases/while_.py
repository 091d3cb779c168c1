"""`while` loops: what they carry, how they end, what is bound afterwards."""

import numpy as np

from autograph_rs.testing import samples


@samples((1,), (6,), (27,))
def collatz(n):
    steps = 0
    while n != 1:
        if n % 2 == 0:
            n = n // 2
        else:
            n = 3 * n + 1
        steps += 1
    return steps


@samples((48, 18), (7, 5), (5, 0))
def gcd(a, b):
    while b != 0:
        a, b = b, a % b
    return a


@samples((2.0,), (144.0,), (1.0,))
def newton(x):
    root = x
    while abs(root * root - x) > 1e-9:
        root = (root + x / root) / 2
    return root


@samples((3,), (0,))
def with_else(n):
    total = 0
    while n > 0:
        total += n
        n -= 1
    else:
        total += 100
    return total


@samples((10, 3), (10, 30), (0, 3))
def else_skipped_by_break(n, wanted):
    i = 0
    while i < n:
        if i == wanted:
            break
        i += 1
    else:
        i = -1
    return i


@samples((100,), (1,), (0,))
def while_true(limit):
    power = 1
    while True:
        if power > limit:
            break
        power *= 2
    return power


@samples((10,), (1,), (0,))
def with_continue(n):
    total = 0
    while n > 0:
        n -= 1
        if n % 3 == 0:
            continue
        total += n
    return total


@samples((4,), (1,), (0,))
def nested(n):
    total = 0
    i = 0
    while i < n:
        j = 0
        while j < i:
            total += i * j
            j += 1
        i += 1
    return total


@samples((5,), (-5,))
def zero_trip(n):
    x = 1
    while n < 0:
        x = x * 2
        n += 1
    return x


@samples((30, 50), (8, 50), (30, 12), (3, 0), (0, 0))
def break_and_continue(n, limit):
    total = 0
    i = 0
    while i < n:
        i += 1
        if i % 2 == 0:
            continue
        if i > 9:
            break
        total += i
        if total > limit:
            break
        if i % 3 == 0:
            continue
        total += 1
    return total, i


@samples((4,), (0,))
def int_becomes_float(n):
    total = 0
    while n > 0:
        total += 0.5
        n -= 1
    return total


@samples((10,), (0,))
def fibonacci(n):
    a, b = 0, 1
    while n > 0:
        a, b = b, a + b
        n -= 1
    return a


@samples((3,), (0,))
def bound_in_body(n):
    while n > 0:
        last = n * 10
        n -= 1
    return last


@samples((3,), (0,))
def local_to_body(n):
    total = 0
    while n > 0:
        square = n * n
        total += square
        n -= 1
    return total


@samples((3,), (0,))
def countdown(n):
    while n > 0:
        print(n)
        n -= 1
    return n


@samples((3, 10), (10, 3), (5, 5))
def two_conditions(a, b):
    steps = 0
    while a > 0 and b > 0 or steps < 2:
        a -= 1
        b -= 2
        steps += 1
    return a, b, steps


@samples((5,), (0,), (8,))
def until_flag(n):
    done = False
    i = 0
    while not done:
        i += 1
        done = i * i >= n
    return i, done


@samples((2,), (50,), (0,))
def plain_loop_staged_break(x):
    """The test is about a Python number; only the break is staged."""
    i = 0
    while i < 4:
        if x > 20:
            break
        x = x * 3
        i += 1
    return x, i


@samples((1, 5), (5, 1), (3, 3), (9, 9))
def break_in_both_branches(a, b):
    while True:
        if a < b:
            a += 2
            if a > 6:
                break
        else:
            b += 3
            if b > 7:
                break
    return a, b


@samples((20,), (3,), (0,))
def break_in_inner(n):
    i = 0
    breaks = 0
    while i < n:
        j = 0
        while True:
            if j * j >= i:
                breaks += j
                break
            j += 1
        i += 5
    return breaks


@samples((np.array([1.0, 2.0]),), (np.array([100.0, 200.0]),))
def array_state(xs):
    while xs.sum() < 50:
        xs = xs * 2
    return xs


@samples((np.array([1.0, 2.0]),), (np.array([60.0, 2.0]),))
def growing_array(xs):
    while xs.sum() < 20:
        xs = np.concatenate((xs, xs))
    return xs


@samples((5,), (2,), (0,))
def both_ends_move(high):
    low = 0
    while low < high:
        low += 1
        if low % 2 == 1:
            high -= 1
    return low, high


@samples((0,), (7,), (12345,))
def digit_sum(n):
    total = 0
    while n:
        total += n % 10
        n //= 10
    return total


@samples(([3, 1, 2],), ([],), staged=())
def while_list(items):
    """Plain only: the caller's list is emptied at each call, not at each trace."""
    total = 0
    while items:
        total = total * 10 + items.pop()
    return total


@samples((6,), (1,))
def condition_uses_helper(n):
    def more(i):
        return i * i < n

    i = 0
    while more(i):
        i += 1
    return i


@samples((3,), (0,))
def pass_only(n):
    while (n := n - 1) > 0:
        pass
    return n
