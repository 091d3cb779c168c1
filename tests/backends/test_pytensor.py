"""Converted functions of PyTensor's variables: values, gradients, errors, lists, and models."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest
import table
from numpy_calls import differing
from support import required

import autograph_rs as ag

pytensor = required("pytensor")
pt = pytensor.tensor
import stage_pytensor  # noqa: E402 - after the check that PyTensor is installed
from pytensor.tensor.variable import _tensor_py_operators as operators  # noqa: E402

pytestmark = pytest.mark.needs("pytensor")


def run(f: Callable[..., Any], *values: Any, gradient: bool = False, mode: Any = "NUMBA") -> Any:
    """Call a converted function with variables, and compute its result, or its gradient, for these values."""
    arrays = list(map(np.asarray, values))
    inputs = [pt.tensor(dtype=a.dtype.name, shape=(None,) * a.ndim) for a in arrays]
    result = ag.convert(f)(*inputs)
    outputs = pytensor.grad(result, inputs[0]) if gradient else result
    outputs = list(outputs) if isinstance(outputs, tuple) else outputs
    return pytensor.function(inputs, outputs, mode=mode, on_unused_input="ignore")(*arrays)


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


def test_equality_compares_values_during_traces_only():
    """PyTensor's own code compares by identity even then, and afterwards its class is as before."""
    before = {**vars(operators)}
    seen = []

    def compares(x, y):
        seen.append(pytensor.graph.basic.equal_computations([x], [y]))
        with ThreadPoolExecutor() as pool:
            seen.append(pool.submit(lambda: x == y).result())
        return is_three(x)

    x, y = pt.lscalars("x", "y")
    ag.convert(compares)(x, y)
    assert seen == [False, False]
    assert [run(is_three, 3), run(is_three, 4)] == [1, 0]
    with pytest.raises(ag.UnsupportedFunctionError):
        ag.convert(lambda x: np.fft.fft(x))(pt.dvector())  # noqa: PLW0108
    assert {**vars(operators)} == before
    assert (x == 3) is False
    assert (x != x) is False


def test_operators_that_pytensor_lacks():
    def operators(x, n):
        return +x, x << n, x >> n, 1 << n, (x > 0) & True

    assert [int(v) for v in run(operators, 12, 2)] == [12, 48, 3, 4, 1]
    with pytest.raises(ag.StagingError, match="not of int64"):
        ag.convert(lambda x: x << 1)(pt.iscalar())


def test_shapes_are_compared_as_tuples():
    def kind(x):
        if x.shape == (2, 3):
            return 1
        return 2 if x.shape == x.T.shape else 0

    shapes = [(2, 3), (2, 2), (3, 2)]
    assert [int(run(kind, np.zeros(shape))) for shape in shapes] == [1, 2, 0]


def test_a_function_that_creates_functions_is_a_trace():
    def twice(x):
        double = lambda v: 2 * v  # noqa: E731 - the function creates one
        if x == 3:
            return double(x)
        return x

    assert ag.convert(twice)(3) == 6
    assert [int(run(twice, 3)), int(run(twice, 4))] == [6, 4]


def test_code_outside_of_a_trace_is_refused():
    with pytest.raises(ag.StagingError, match="outside of a call of a function that"):
        ag.to_graph(root_or_zero)(pt.dscalar())


@pytest.mark.parametrize("mode", ["NUMBA", "FAST_COMPILE"])
def test_an_integer_division_in_a_branch_that_is_not_taken(mode: str):
    """Both branches of a `switch` are computed, and PyTensor's division by zero raises."""

    def remainder(x, n):
        if n == 0:
            return -1
        return x % n + x // n

    assert run(remainder, 7, 2, mode=mode) == 4
    assert run(remainder, 7, 0, mode=mode) == -1


def test_an_exception_arrives_at_its_handler():
    def root(x):
        try:
            if x < 0:
                raise ValueError("negative")
            y = np.sqrt(x)
        except ValueError:
            y = -1.0
        return y

    assert [float(run(root, 4.0)), float(run(root, -4.0))] == [2, -1]


def test_a_loop_that_changes_a_shape_is_refused():
    def doubled(xs):
        while xs.sum() < 20:
            xs = np.concatenate((xs, xs))
        return xs

    np.testing.assert_array_equal(run(doubled, [30.0]), [30])
    with pytest.raises(ag.StagingError, match="a loop changes the shape of an array") as error:
        run(doubled, [1.0])
    assert "while xs.sum() < 20:" in str(error.value)


def test_numpy_functions():
    """PyTensor's counterparts give what NumPy gives, or the call is refused."""

    def in_pytensor(f: Callable[..., Any], arrays: list[np.ndarray]) -> Any:
        return run(f, *arrays, mode=stage_pytensor.MODE)

    wrong, made = differing(in_pytensor)
    assert not wrong
    assert made >= 250


def test_a_function_of_another_name_space_is_refused():
    """`np.emath.sqrt` has the name of `np.sqrt`, and gives complex numbers."""
    with pytest.raises(ag.UnsupportedFunctionError, match=r"numpy\.sqrt"):
        ag.convert(lambda x: np.emath.sqrt(x))(pt.dscalar())  # noqa: PLW0108


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


def test_each_refusal_and_difference_has_a_reason():
    """The suite's lists are those of docs/conformance.md, which test_conformance.py checks."""
    kinds = {sample: kinds["pytensor"] for sample, kinds in table.read().items()}
    system = stage_pytensor.System()
    for kind, listed in (("error", system.refused), ("differs", system.differs)):
        assert {sample for sample, found in kinds.items() if found == kind} == {*listed}
