"""Measure the time to build graphs of several sizes, and the run time of small staged loops.

python benchmarks/graphs.py
"""

from __future__ import annotations

import argparse
import time
import timeit
from collections.abc import Callable
from typing import Any

import numpy as np
from figures import number, table

import autograph_rs as ag
from autograph_rs.runtime.graph.concrete import concrete_graph


def straight(x, n):
    for i in range(n):
        x = np.tanh(x) + i
    return x


def conditions(x, n):
    for i in range(n):
        if x > i:
            x = x + i
        else:
            x = x - i
    return x


def loops(x, n):
    for i in range(n):
        k = 0
        while k < x:
            k = k + 2
        x = x + k * i
    return x


def collatz(x):
    steps = 0
    while x != 1:
        if x % 2 == 0:
            x = x // 2
        else:
            x = 3 * x + 1
        steps += 1
    return steps


def fizzbuzz(n):
    total = 0
    for i in range(n):
        if i % 15 == 0:
            total += 15
        elif i % 5 == 0:
            total += 5
        elif i % 3 == 0:
            total += 3
    return total


def until_small(x):
    while np.sum(x) > 50:
        x = np.tanh(x)
    return x


def polynomial(x):
    return ((x * 2 + 1) * 3 - 4) / 5 + 6


class Parts:
    """The seconds spent in each part of a trace."""

    def __init__(self, *names: str):
        self.seconds = dict.fromkeys(names, 0.0)
        for name in names:
            setattr(concrete_graph, name, self.timed(name, getattr(concrete_graph, name)))

    def timed(self, name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        def call(*args: Any, **kwargs: Any) -> Any:
            start = time.process_time()
            try:
                return function(*args, **kwargs)
            finally:
                self.seconds[name] += time.process_time() - start

        return call


def sizes() -> None:
    parts = Parts("optimise", "compile_graph")
    rows = []
    for function, x, per in (
        (straight, np.ones(3), 3),
        (conditions, np.float64(3), 8),
        (loops, np.float64(3), 9),
    ):
        for nodes in (1000, 5000, 20000):
            parts.seconds = dict.fromkeys(parts.seconds, 0.0)
            start = time.process_time()
            graph = ag.function(function).get_concrete_function(x, nodes // per).graph
            whole = time.process_time() - start
            trace = whole - sum(parts.seconds.values())
            times = [number(1000 * t) for t in (trace, *parts.seconds.values(), whole)]
            rows.append([function.__name__, f"{len(graph):,}", *times, number(1e6 * whole / len(graph))])
    print(table(["graph", "nodes", "trace ms", "optimise ms", "compile ms", "all ms", "us a node"], rows))


def runs() -> None:
    rows = []
    for function, x in (
        (collatz, np.int64(27)),
        (fizzbuzz, np.int64(1000)),
        (until_small, np.full(100, 3.0)),
        (polynomial, np.linspace(0, 1, 200_000)),
    ):
        staged = [ag.function(function, optimise=which) for which in (True, False)]
        times = []
        for call in (function, *staged):
            call(x)
            timer = timeit.Timer(lambda call=call, x=x: call(x))
            count, _ = timer.autorange()
            times.append(min(timer.repeat(5, max(1, count // 5))) / max(1, count // 5))
        rows.append([function.__name__, *(number(1e6 * t) for t in times)])
    print(table(["run, us", "plain", "graph", "graph, not optimized"], rows))


if __name__ == "__main__":
    argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0]).parse_args()
    sizes()
    print()
    runs()
