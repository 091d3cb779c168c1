"""Functions with loops, state and effects, as users write them, with arguments that take all paths."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable
from typing import Any

SAMPLES: list[tuple[Callable[..., Any], tuple[tuple[Any, ...], ...]]] = []


def sample(*inputs: tuple[Any, ...]) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    def add(f: Callable[..., Any]) -> Callable[..., Any]:
        SAMPLES.append((f, inputs))
        return f

    return add


@sample((27,), (1,), (6,))
def collatz(n):
    steps = 0
    while n != 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        steps += 1
    return steps


@sample((12, 18), (7, 3), (0, 5), (5, 0))
def greatest_divisor(a, b):
    while b:
        a, b = b, a % b
    return a


@sample((2.0,), (9.0,))
def square_root(x):
    guess = x
    for _ in range(50):
        new = (guess + x / guess) / 2
        if abs(new - guess) < 1e-9:
            break
        guess = new
    return guess


@sample((5,), (0,), (12,))
def nested(n):
    total = 0
    for i in range(n):
        if i % 3 == 0:
            continue
        for j in range(i):
            if (i + j) % 2 == 0:
                continue
            if j > 6:
                break
            total += i * j
    return total


@sample((91,), (97,), (2,), (1,), (0,))
def smallest_divisor(n):
    if n < 2:
        return 0
    d = 2
    while d * d <= n:
        if n % d == 0:
            return d
        d += 1
    return n


@sample((100,), (15,), (0,))
def fizzbuzz(n):
    fizz = buzz = both = 0
    for i in range(1, n + 1):
        if i % 3 == 0 and i % 5 == 0:
            both += 1
        elif i % 3 == 0:
            fizz += 1
        elif i % 5 == 0:
            buzz += 1
    return fizz, buzz, both


def power(x, n):
    result = 1
    while n > 0:
        if n % 2:
            result *= x
        x *= x
        n //= 2
    return result


@sample((3, 5), (2, -1), (2, 0))
def signed_power(x, n):
    if n >= 0:
        return power(x, n)
    else:
        return power(x, -n) * 2


@sample((10, 3), (1, 1), (20, 0))
def pair(n, k):
    for i in range(n):
        for j in range(i, n):
            if i * j == k and i != j:
                return i * 100 + j
    return -1


@sample((3,), (0,), (7,))
def loop_else(n):
    for i in range(2, 6):
        if i == n:
            break
    else:
        return -1
    return i * 10


@sample((3,), (100,))
def forever(x):
    while True:
        if x > 50:
            return x
        x = x * 2


@sample((5, 1), (5, 2), (5, -1))
def stepped(n, s):
    total = 0
    for i in range(n, 0, -1):
        total = total * 10 + i
    for i in range(0, n, 2):
        total += i
    return total + s


@sample((6,), (0,))
def sequences(n):
    total = 0
    for i, k in enumerate(reversed(range(n))):
        total += i * k
    for a, b in zip(range(n), range(3, 9)):
        total += a * b
    return total


@sample((10,), (1,), (0,))
def promoted(n):
    s = 0.0
    for i in range(n):
        s = s + i / 2
    return s


@sample((5,), (0,), (9,), (3,))
def chained(x):
    if 0 < x < 4 or x == 9:
        r = 1
    else:
        r = 2 if not x else 3
    return r


@sample((10,), (3,))
def primes(n):
    def is_prime(k):
        if k < 2:
            return False
        for d in range(2, k):
            if d * d > k:
                break
            if k % d == 0:
                return False
        return True

    count = 0
    for k in range(n):
        if is_prime(k):
            count += 1
    return count


@sample((2, 3), (5, 1))
def plain_items(x, y):
    total = 0
    for w in [1, 2, 3, 4]:
        if w > x:
            break
        if w == y:
            continue
        total += w * y
    for k, v in {"a": x, "b": y}.items():
        if v > 2:
            total += len(k)
    return total


class Account:
    def __init__(self, balance):
        self.balance, self.refused = balance, 0

    def withdraw(self, amount):
        if amount <= self.balance:
            self.balance = self.balance - amount
        else:
            self.refused += 1
        return self


@sample((3,), (0,), (30,))
def methods(d):
    account = Account(20)
    for i in range(4):
        account.withdraw(d - i)
    if d > 2:
        account.withdraw(1)
    return account.balance * 10 + account.refused


@sample((3,), (0,))
def methods_in_a_loop(n):
    account = Account(20)
    for i in range(n):
        account.withdraw(i)
    return account.balance


@sample((3,), (0,))
def set_by_name(x):
    account = Account(1)
    if x > 1:
        setattr(account, "balance", 5)
    return account.balance


@sample((3,), (0,))
def outer_variable(x):
    n = 0

    def increase():
        nonlocal n
        n += 1

    for _ in range(x):
        increase()
    return n


@sample((3,), (0,))
def contents(x):
    values, table = [1, 2], {"a": 1}
    if x > 1:
        values[0], table["a"] = x, 7
    for i in range(x):
        values[1] += i
    return values[0] + values[1] * 10 + table["a"]


@sample((6, 4), (9, 9), (2, 50))
def tuples(n, k):
    a = (0, 1)
    for i in range(n):
        a = (a[1], a[0] + i)
        if a[0] > k:
            return a[0], i
    return a


@sample((3,), (2,))
def walrus_in_a_test(x):
    n = 0
    while (x := x - 1) > -2:
        n += x
    return n


@sample((3, 4), (-3, 4), (3, -4))
def walrus_in_operands(a, b):
    c = 0
    if (a2 := a + 1) > 0 and (c := b * 2) > 0:
        return a2 + c
    if a2 < 0 or (c := 5) > b:
        return a2 - c
    return c if (c := c + a) > 0 else -c


@sample((3,), (2,), (7,))
def matched(x):
    match x:
        case 1 | 2:
            return 10
        case 3:
            return 30
        case _:
            return 0


@sample((3,), (12,), (19,), (-1,))
def many_arms(x):
    if x == 0:
        d = 0
    elif x == 1:
        d = 3
    elif x == 2:
        d = 6
    elif x == 3:
        d = 9
    elif x == 4:
        d = 12
    elif x == 5:
        d = 15
    elif x == 6:
        d = 18
    elif x == 7:
        d = 21
    elif x == 8:
        d = 24
    elif x == 9:
        d = 27
    elif x == 10:
        d = 30
    elif x == 11:
        d = 33
    elif x == 12:
        d = 36
    else:
        d = -1
    return d


@sample((3,), (-2,), (0,))
def return_in_try(x):
    try:
        if x > 0:
            return 1
        y = 2
    finally:
        x = 0
    return y + x


@sample((3,), (-2,))
def return_in_with(x):
    with contextlib.nullcontext():
        if x > 0:
            return 1
        y = 2
    return y


@sample((3,), (10,))
def comprehensions(n):
    return sum([k if k > n else 0 for k in [1, 5, 20]]) + sum(k * n for k in range(3)) + any([n > 5, n < 1])


@sample((3, 4, 5), (1, 2, 9), (0, 0, 0))
def triangle(a, b, c):
    valid = a > 0 and b > 0 and c > 0 and not (a + b <= c or b + c <= a or a + c <= b)
    return max(a, b, c) if valid else min(a, b, c) - 1


@sample((4,), (-1,))
def library(n):
    return math.sqrt(n) if n > 0 else float(abs(min(n, 2)))


EFFECTS: list[tuple[Callable[..., Any], tuple[tuple[Any, ...], ...]]] = []
SAMPLES, PURE = EFFECTS, SAMPLES


@sample((6, 2), (0, 0), (3, 1))
def set_under_one_test(n, k):
    if n > 3:
        y = n
    if n > 3:
        return y
    return k


@sample((6,), (2,), (-1,))
def prints(x):
    print("start")
    if x > 3:
        print(x, "big")
        for i in range(x):
            if i % 2:
                print("odd", i)
    else:
        print("small")
    return x


@sample((6,), (2,))
def prints_only(x):
    while x > 0:
        print(x)
        x -= 1


@sample((6,), (0,))
def effects_in_the_test(n):
    def more(k):
        print("test", k)
        return k > 0

    while more(n) and n != 2:
        n -= 1
        print("body", n)
    return n


@sample((3,), (5,), (1,))
def asserts(x):
    if x == 1:
        assert x > 2
    assert x < 4, "too big"
    return x


@sample((3,), (-3,), (30,))
def raises(x):
    print("before")
    if x < 0:
        raise ValueError("negative")
    for i in range(x):
        print(i)
        if i > 20:
            raise IndexError("large")
    return x


@sample((3,), (0,))
def always_raises(x):
    if x > 1:
        raise ValueError("large")
    else:
        print("small")
    raise KeyError("small")


@sample((3,), (0,))
def only_one_branch(x):
    if x > 1:
        y = 1
    return y


@sample((3,), (0,))
def counter_after_the_loop(x):
    for i in range(x):
        pass
    return i


@sample((1,), (-3,), (4,))
def item_of_a_list(x):
    return [10, 20, 30][x]


@sample((5, 1), (5, 2), (6, -2), (5, 0))
def symbolic_step(n, s):
    total = 0
    for i in range(0, n, s):
        total += i
    return total


@sample((3,), (5,))
def handlers(n):
    try:
        if n > 3:
            raise ValueError("large")
        y = 1
    except ValueError:
        y = 2
        print("caught", n)
    else:
        y += 5
    finally:
        print("finally")
    return y


@sample((1,), (5,))
def finally_without_handler(n):
    try:
        if n > 3:
            raise ValueError("large")
    finally:
        print("finally", n)
    return n


@sample((2,), (4,), (8,))
def handlers_in_a_loop(n):
    total = 0
    for i in range(n):
        try:
            if i == 3:
                raise KeyError("three")
            if i == 5:
                raise ValueError("five")
            total += i
        except KeyError:
            print("key", i)
            total += 100
            continue
        finally:
            print("finally", i)
    return total
