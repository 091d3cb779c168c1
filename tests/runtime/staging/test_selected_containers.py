"""Changes of containers that a staged condition selects: refused, never lost."""

from __future__ import annotations

import heapq
from collections import Counter, defaultdict
from typing import Any

import numpy as np
import pytest

import autograph_rs as ag

CHANGES: dict[str, tuple[Any, Any]] = {
    "a heap": (lambda: ([3, 1], [5, 4]), lambda own: heapq.heappush(own, 0)),
    "a list made a heap": (lambda: ([3, 1], [5, 4]), heapq.heapify),
    "counts": (lambda: (Counter("ab"), Counter("bb")), lambda own: own.update("b")),
    "a default": (lambda: (defaultdict(int, {1: 2}), defaultdict(int, {1: 3})), lambda own: own.pop(1)),
}


@pytest.mark.parametrize("name", CHANGES)
def test_changes(name):
    make, change = CHANGES[name]

    def f(x):
        first, second = make()
        change(first if x > 0 else second)
        return first, second

    with pytest.raises(ag.AliasError):
        ag.function(f)(np.float64(1.0))


def test_reading():
    def f(x):
        first, second = Counter("ab"), Counter("bbc")
        own = first if x > 0 else second
        return own["a"], own["b"], len(own), sum(own.values())

    for x in (1.0, -1.0):
        assert ag.function(f)(np.float64(x)) == f(x)
