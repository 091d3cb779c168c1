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


EXTREMES = {
    "pairs": lambda xs: max(zip(xs.tolist(), xs.tolist(), strict=True), default=None),
    "sorted pairs": lambda xs: sorted(zip(xs.tolist(), "ab", strict=False)),
    "a list of tuples": lambda xs: max([(np.sum(xs), 1), (np.sum(xs * xs), 2)], default=(0.0, 0)),
    "a list of one item": lambda xs: (max([np.sum(xs)]), min([(np.sum(xs), 1)])),
    "an empty list": lambda xs: max([], default=np.sum(xs)),
    "absolute values": lambda xs: min(map(abs, xs), default=-1.0),
    "starred": lambda xs: (*map(float, xs), 3.0),
    "arguments": lambda xs: max(0.5, *[float(x) for x in xs], *(i for i, _ in enumerate(xs))),
}


@pytest.mark.parametrize("name", EXTREMES)
@pytest.mark.parametrize("length", [2, None])
def test_iterators_and_defaults(name, length):
    f = EXTREMES[name]
    staged = ag.function(f, input_signature=[ag.TensorSpec((length,))])
    if length is None and name in ("starred", "arguments"):
        with pytest.raises(ag.ValueNeededError, match="cannot be iterated by Python"):
            staged(np.ones(2))
        return
    for xs in (np.array([1.0, -2.0]), np.array([3.0, 3.0]), *([] if length else [np.array([])])):
        assert str(staged(xs)) == str(f(xs))
