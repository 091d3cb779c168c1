"""Print whether `profile` names the slow line of each function, and what its clock reads cost.

    python benchmarks/profiling.py

The second column is the share of the slowest line in the time of all lines. The third is the time of all
lines as a multiple of that of the call without clock reads.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import autograph_rs as ag

RANDOM = np.random.default_rng(0)
SLOW = "# slow"


def matmul_in_a_loop(x, w, n):
    for _ in range(n):
        x = x * 0.5
        x = x @ w  # slow
        x = x + 1.0
    return np.sum(x)


def rare_branch(xs, a):
    total = 0.0
    for x in xs:
        if x > 0.99:
            total += np.max(np.abs(np.linalg.svd(a * x)[1]))  # slow
        else:
            total += x
    return total


def reduction_before_a_loop(x, n):
    middle = np.median(x)  # slow
    total = 0.0
    for i in range(n):
        total = total + middle * i
    return total


def inverse(a):
    b = a + a.T
    b = np.linalg.inv(b + 500.0 * np.eye(len(b)))  # slow
    return b * 2.0


def line_of_a_helper(a, n):
    for _ in range(n):
        a = inverse(a)
    return np.trace(a)


def native_loops(xs, n):
    best = 0.0
    for i in range(n):
        total = 0.0
        for j in range(n):
            total = total + abs(xs[i] - xs[j]) ** 0.3  # slow
        best = max(best, total)
    return best


def expensive_operation_in_a_native_loop(xs, n):
    total = 0.0
    for i in range(n):
        x = xs[i] * 2.0
        y = np.sin(np.exp(np.cos(x)))  # slow
        total = total + y
    return total


CALLS: list[tuple[Callable[..., Any], tuple[Any, ...]]] = [
    (matmul_in_a_loop, (RANDOM.random((200, 200)), RANDOM.random((200, 200)) / 100, np.int64(30))),
    (rare_branch, (RANDOM.random(500), RANDOM.random((100, 100)))),
    (reduction_before_a_loop, (RANDOM.random(500_000), np.int64(200))),
    (line_of_a_helper, (RANDOM.random((80, 80)), np.int64(20))),
    (native_loops, (RANDOM.random(1000), np.int64(1000))),
    (expensive_operation_in_a_native_loop, (RANDOM.random(200_000), np.int64(200_000))),
]

for engine in ("auto", "numpy"):
    print(f"\nengine {engine!r}")
    for f, args in CALLS:
        report = ag.profile(ag.function(f, engine=engine), *args)
        slowest = report.lines[0]
        with open(slowest.file, encoding="utf-8") as file:
            is_named = SLOW in file.readlines()[slowest.line - 1]
        cost = sum(line.seconds for line in report.lines) / report.seconds
        word = "named" if is_named else f"not named, but line {slowest.line}"
        print(f"{f.__name__:<37} {100 * slowest.share:5.1f} %  {cost:5.2f}  {slowest.where:<6}  {word}")
