"""The six functions that the benchmarks convert and run, with their arguments.

They are self-contained plain Python: a worker writes a function's text to a new file for every conversion
that it times.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


def fibonacci(n):
    if n < 2:
        return n
    return fibonacci(n - 1) + fibonacci(n - 2)


def collatz(n):
    steps = 0
    while n != 1:
        if n % 2 == 0:
            n = n // 2
        else:
            n = 3 * n + 1
        steps = steps + 1
    return steps


def filter_sum(xs, limit):
    total = 0
    for x in xs:
        if x % 3 == 0:
            continue
        if total > limit:
            break
        total = total + x
    return total


def nested_loops(rows, target):
    found = -1
    checked = 0
    for row in rows:
        for x in row:
            checked = checked + 1
            if x == target:
                found = x
                break
        if found >= 0:
            break
    return found * 1000 + checked


def double(x):
    return x + x


def add(x, y):
    return x + y


def small_calls(n):
    total = 0
    for i in range(n):
        total = add(total, double(i))
        total = add(total, abs(-i))
        total = add(total, min(i, 3))
    return total


def mixed(xs, limit):
    total = 0
    count = 0
    largest = None
    signs = ""
    for i, x in enumerate(xs):
        if x < 0:
            x = -x
            signs = signs + "-"
        elif x == 0:
            continue
        else:
            signs = signs + "+"
        if largest is None or x > largest:
            largest = x
        while x > limit:
            x = x // 2
            count += 1
            if count > 1000:
                return -1
        if i % 2 == 0 and x % 2 == 0:
            total += x
        else:
            total -= 1 if x > 2 else 2
        if total > 10000:
            break
    average = total / count if count else 0.0
    if not signs:
        return 0
    if average < 0:
        average = -average
    return average + len(signs)


@dataclass(frozen=True)
class Case:
    """A function, its helpers, and the arguments for measuring its run time."""

    title: str
    function: Callable[..., Any]
    args: tuple[Any, ...]
    helpers: tuple[Callable[..., Any], ...] = ()

    @property
    def name(self) -> str:
        return self.function.__name__

    @property
    def source(self) -> str:
        """The text of a module that contains only the function and its helpers."""
        return "\n\n".join(map(inspect.getsource, (*self.helpers, self.function)))


ROWS = [list(range(first, first + 20)) for first in range(0, 400, 20)]
WAVE = [(7 * k) % 41 - 20 for k in range(80)]
CASES = (
    Case("recursive Fibonacci", fibonacci, (12,)),
    Case("Collatz", collatz, (97,)),
    Case("filter-sum, continue and break", filter_sum, (list(range(300)), 20_000)),
    Case("nested loops with break", nested_loops, (ROWS, 250)),
    Case("many small calls", small_calls, (60,), helpers=(double, add)),
    Case("30 lines of mixed control flow", mixed, (WAVE, 5)),
)
