"""Threads and memory: one conversion for all, and nothing kept of what is gone."""

from __future__ import annotations

import gc
import threading
import time
import types

import pytest
from breadth import some
from modules import executed

import autograph_rs as ag
from autograph_rs.transpiler.default import DEFAULT


def test_one_conversion_for_many_threads(monkeypatch: pytest.MonkeyPatch):
    count, convert = [], DEFAULT._convert

    def slow(*args):
        count.append(1)
        time.sleep(0.01)
        return convert(*args)

    monkeypatch.setattr(DEFAULT, "_convert", slow)

    def f(x):
        while x > 3:
            x -= 1
        return x

    barrier, results = threading.Barrier(16, timeout=300), []

    def work():
        barrier.wait()
        results.append(ag.to_graph(f)(10))

    threads = [threading.Thread(target=work) for _ in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [3] * 16
    assert len(count) == 1


def entries() -> int:
    gc.collect()
    return len(DEFAULT._entries)


@pytest.mark.slow
def test_lambdas_are_forgotten():
    name = "<many lambdas>"
    text = "f = " + "lambda x: " * 3 + "x if x > 0 else -x\n"
    before = None
    rounds = some(800, 1500)
    for i in range(rounds):
        made = executed(text, name).f
        f = types.FunctionType(made.__code__, {"__builtins__": {}})
        assert ag.to_graph(f)(1)(2)(-3) == 3
        assert ag.convert(f)(1)(2)(-3) == 3
        del made, f
        before = entries() if i == rounds - 201 else before
    assert entries() <= before + 10


@pytest.mark.slow
def test_dropped_namespaces_are_forgotten():
    """A function that its own namespace holds goes with the namespace."""
    text = "def f(x):\n    return x if x > 0 else -x\n"
    before = None
    rounds = some(800, 1500)
    for i in range(rounds):
        assert ag.to_graph(executed(text, "<namespace>").f)(-1) == 1
        before = entries() if i == rounds - 201 else before
    assert entries() <= before + 20


@pytest.mark.slow
def test_dropped_classes_are_forgotten():
    """A value's class is looked up at every condition, and must not be kept by that."""
    from autograph_rs.runtime.backends import BACKENDS, MAX_TYPES

    def f(x):
        if x:
            return 1
        return 2

    made = ag.to_graph(f)
    for _ in range(200):
        made(type("Local", (), {})())
    gc.collect()
    assert len(BACKENDS) <= MAX_TYPES
