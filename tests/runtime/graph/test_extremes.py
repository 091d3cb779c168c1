"""`max` and `min` of tuples and lists, and by a key: the first parts that differ decide, as in Python."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import autograph_rs as ag

XS = [np.array([1.0, 3.0, 3.0]), np.array([2.0, 1.0, 1.0]), np.array([1.0, 1.0, 1.0])]


def of_pairs(x: Any) -> Any:
    return max([(x[0], 1), (x[1], 2), (x[2], 0)]), min((x[0], 1), (x[1], 2), (x[2], 0))


def with_the_place(x: Any) -> Any:
    best = (x[0], 0)
    for i, v in enumerate(x):
        best = max(best, (v, i))
    return best


def by_a_key(x: Any) -> Any:
    return max(x[0], x[1], key=lambda v: (v > 2, -v)), min(x[0], x[1], x[2], key=lambda v: [v, 1])


def nested(x: Any) -> Any:
    return min((("a", x[0]), x[1]), (("a", x[1]), x[0])), max((1, [x[2]]), (1, [x[0]]))


@pytest.mark.parametrize("f", [of_pairs, with_the_place, by_a_key, nested])
@pytest.mark.parametrize("x", XS)
def test_as_in_python(f: Any, x: np.ndarray) -> None:
    assert ag.function(f)(x) == f(x)
    assert ag.function(f, input_signature=[ag.TensorSpec((None,))])(x) == f(x)
