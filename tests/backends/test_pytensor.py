"""Converted functions of PyTensor's variables: values, gradients, errors, lists, and models."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import table
from support import required

import autograph_rs as ag

pytensor = required("pytensor")
pt = pytensor.tensor

pytestmark = pytest.mark.needs("pytensor")


def run(f: Callable[..., Any], *values: Any, gradient: bool = False) -> Any:
    """Call a converted function with variables, and compute its result, or its gradient, for these values."""
    arrays = list(map(np.asarray, values))
    inputs = [pt.tensor(dtype=a.dtype.name, shape=(None,) * a.ndim) for a in arrays]
    result = ag.convert(f)(*inputs)
    outputs = pytensor.grad(result, inputs[0]) if gradient else result
    outputs = list(outputs) if isinstance(outputs, tuple) else outputs
    return pytensor.function(inputs, outputs, mode="NUMBA", on_unused_input="ignore")(*arrays)


def halvings(x):
    count = 0
    while x > 1:
        x = x / 2
        count += 1
    return x


def until_negative(xs):
    total = 0.0
    for x in xs:
        if x < 0:
            break
        total += x * x
    return total


def root_or_zero(x):
    return pt.sqrt(x) if x > 0 else 0.0


def squares(xs):
    found = []
    for x in xs:
        found.append(x * x)  # noqa: PERF401 - the loop is the subject
    return found


def sum_of_squares(xs):
    return np.array(squares(xs)).sum()


def item_or_error(x, n):
    if n == 3:
        raise ValueError("three")
    return x[n]


def is_three(x):
    return 1 if x == 3 else 0


def test_a_while_loop_and_its_gradient():
    assert run(halvings, 40.0) == 0.625
    assert run(halvings, 0.5) == 0.5
    assert run(halvings, 40.0, gradient=True) == 1 / 64
    assert run(halvings, 0.5, gradient=True) == 1


@pytest.mark.parametrize(
    ("values", "total", "gradient"),
    [([1.0, 2.0, 3.0], 14, [2, 4, 6]), ([1.0, -2.0, 3.0], 1, [2, 0, 0]), ([-1.0], 0, [0]), ([], 0, [])],
)
def test_a_loop_that_breaks_and_its_gradient(values: list[float], total: float, gradient: list[float]):
    """PyTensor's own gradient of a `scan` with `until` over a sequence belongs to other items."""
    values = np.asarray(values, float)
    assert run(until_negative, values) == total
    np.testing.assert_array_equal(run(until_negative, values, gradient=True), gradient)


def test_the_gradient_of_the_branch_that_is_not_taken_is_zero():
    """Its derivative is infinite, and PyTensor multiplies it by zero."""
    assert run(root_or_zero, 0.0, gradient=True) == 0
    assert run(root_or_zero, 4.0, gradient=True) == 0.25


def test_a_list_of_unknown_length():
    np.testing.assert_array_equal(run(squares, np.arange(4.0)), [0, 1, 4, 9])
    np.testing.assert_array_equal(run(sum_of_squares, np.arange(4.0), gradient=True), [0, 2, 4, 6])


def test_errors_of_the_program():
    xs = np.arange(5.0)
    assert run(item_or_error, xs, 2) == 2
    assert run(item_or_error, xs, -1) == 4
    with pytest.raises(ValueError, match="three"):
        run(item_or_error, xs, 3)
    with pytest.raises(IndexError, match="index is out of bounds for axis 0"):
        run(item_or_error, xs, 7)


def test_equality_compares_values_in_converted_code_only():
    assert [run(is_three, 3), run(is_three, 4)] == [1, 0]
    x = pt.lscalar()
    assert (x == 3) is False
    assert (x != x) is False


def test_a_draw_in_a_loop_is_refused():
    """Each iteration would draw the same number."""
    generator = pt.random.shared_rng(np.random.default_rng(0))

    def walk(xs):
        total = 0.0
        for x in xs:
            total += x * generator.normal()[1]
        return total

    with pytest.raises(ag.StagingError, match="the body of a staged loop draws random numbers"):
        ag.convert(walk)(pt.dvector())


def test_conformance():
    """Of the samples, one in so many: none is wrong, and most are staged."""
    found = list(table.column("pytensor", every=9).values())
    assert not {"wrong", "foreign"} & {*found}
    assert sum(kind in ("staged", "unrolled") for kind in found) >= 0.75 * len(found)
