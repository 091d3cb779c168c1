"""Functions that call themselves under a condition on their arguments."""

import numpy as np

from autograph_rs.testing import samples

N, LARGE = np.int64(7), np.int64(27)
X = np.float64(2.0)


@samples((N,), (np.int64(2),), (np.int64(1),))
def factorial(n):
    if n <= 1:
        return 1
    return n * factorial(n - 1)


@samples((np.int64(48), np.int64(18)), (np.int64(7), np.int64(0)))
def greatest_common_divisor(a, b):
    if b == 0:
        return a
    return greatest_common_divisor(b, a % b)


@samples((N,), (np.int64(0),))
def fibonacci(n):
    return n if n < 2 else fibonacci(n - 1) + fibonacci(n - 2)


@samples((np.int64(2), np.int64(3)), (np.int64(0), np.int64(4)))
def ackermann(m, n):
    if m == 0:
        return n + 1
    if n == 0:
        return ackermann(m - 1, 1)
    return ackermann(m - 1, ackermann(m, n - 1))


@samples((X, np.int64(10)), (X, np.int64(0)))
def power_by_squaring(x, n):
    if n == 0:
        return 1.0
    half = power_by_squaring(x, n // 2)
    if n % 2:
        return half * half * x
    return half * half


@samples((LARGE,), (np.int64(1),))
def collatz_length(n):
    return 0 if n == 1 else 1 + collatz_length(n // 2 if n % 2 == 0 else 3 * n + 1)


@samples((np.int64(5),), (np.int64(0),))
def hanoi(n):
    if n == 0:
        return 0
    return hanoi(n - 1) + 1 + hanoi(n - 1)


def is_odd(n):
    return False if n == 0 else is_even(n - 1)


@samples((N,), (np.int64(0),))
def is_even(n):
    return True if n == 0 else is_odd(n - 1)


@samples((np.float64(0.0), np.float64(2.0)))
def adaptive_simpson(a, b):
    def f(x):
        return 1 / (1 + x * x)

    def rule(a, b):
        return (b - a) / 6 * (f(a) + 4 * f((a + b) / 2) + f(b))

    def integrate(a, b, tolerance, whole):
        middle = (a + b) / 2
        left, right = rule(a, middle), rule(middle, b)
        if abs(left + right - whole) <= 15 * tolerance:
            return left + right + (left + right - whole) / 15
        return integrate(a, middle, tolerance / 2, left) + integrate(middle, b, tolerance / 2, right)

    return integrate(a, b, 1e-6, rule(a, b))


@samples((X,), (np.float64(9.0),))
def newton(a):
    def improve(x):
        better = 0.5 * (x + a / x)
        if abs(better - x) < 1e-12:
            return better
        return improve(better)

    return improve(a)


@samples((np.int64(12), np.int64(18)), (np.int64(5), np.int64(0)))
def extended_gcd(a, b):
    if b == 0:
        return a, np.int64(1), np.int64(0)
    divisor, x, y = extended_gcd(b, a % b)
    return divisor, y, x - (a // b) * y


@samples((np.int64(5),), (np.int64(-1),))
def counted_calls(n):
    calls = 0

    def visit(k):
        nonlocal calls
        calls += 1
        if k > 1:
            visit(k - 1)
            visit(k - 2)

    visit(n)
    return calls


class Countdown:
    def __init__(self):
        self.steps = 0
        self.total = 0.0

    def run(self, k):
        self.steps += 1
        if k <= 0:
            return 0
        self.total += k
        return 1 + self.run(k - 2)


@samples((np.int64(5),), (np.int64(0),))
def method(n):
    countdown = Countdown()
    depth = countdown.run(n)
    return depth, countdown.steps, countdown.total


@samples((np.int64(6),), (np.int64(5),), (np.int64(-3),))
def raised_in_recursion(n):
    if n < 0:
        raise ValueError("an odd number")
    if n == 0:
        return 1.0
    return 0.5 * raised_in_recursion(n - 2)


@samples((np.float64(3.0), 4), (np.float64(0.5), 4))
def plain_depth(x, depth):
    if depth == 0:
        return x
    if x > 1:
        return plain_depth(x - 1, depth - 1) + plain_depth(x / 2, depth - 1)
    return x


@samples((np.int64(3),), (np.int64(0),))
def keywords(n):
    def total(n, *, so_far=0, scale=2):
        if n == 0:
            return so_far
        return total(n - 1, so_far=so_far + scale * n, scale=scale)

    return total(n)


@samples((np.int64(6),), (np.int64(0),))
def list_of_digits(n):
    if n == 0:
        return []
    return list_of_digits(n // 2) + [n % 2]


@samples((np.int64(3),), (np.int64(0),))
def prints(n):
    if n > 0:
        print("n is", n)
        prints(n - 1)


def sum_and_power(n):
    if n == 0:
        return None
    found = sum_and_power(n - 1)
    if found is None:
        return n, 1.0
    return found[0] + n, found[1] * 2


@samples((np.int64(3),), (np.int64(1),), (np.int64(0),))
def none_or_a_pair(n):
    return sum_and_power(n)


def first_even(xs, i):
    if i >= len(xs):
        return None
    if xs[i] % 2 == 0:
        return xs[i]
    return first_even(xs, i + 1)


@samples((np.array([1.0, 3.0, 4.0, 6.0]),), (np.array([1.0, 3.0, 5.0, 7.0]),))
def none_or_an_item(xs):
    found = first_even(xs, np.int64(0) + (xs[0] > 100))
    return -1.0 if found is None else found


def half_depth(n):
    if n <= 0:
        return None
    depth = half_depth(n - 2)
    return 1 if depth is None else depth + 1


@samples((np.int64(5),), (np.int64(4),), (np.int64(0),))
def none_or_a_depth(n):
    return half_depth(n)


def first_power(x, limit):
    if x < limit and (found := first_power(x * 2, limit)):
        return found
    return x


@samples((np.int64(3), np.int64(20)), (np.int64(30), np.int64(20)))
def bound_in_the_test(x, limit):
    return first_power(x, limit)
