"""Views in machine code: what a loop begins with, and results that share memory with each other."""

from __future__ import annotations

import numpy as np
import pytest
from native_support import described, engine_of, needs_llvm
from whole_graphs import compile_whole

import autograph_rs as ag

pytestmark = needs_llvm
N = np.int64


def doubled_columns(table, n):
    total = np.float64(0.0)
    for j in range(n):
        column = table[:, j]
        for _ in range(n):
            column = column * 2.0
        total = total + column.sum()
    return total


def inverted_column(table, n):
    column = table[..., 0]
    for _ in range(n):
        column = -column
    return column.sum()


@pytest.mark.parametrize("function", [doubled_columns, inverted_column])
@pytest.mark.parametrize("optimise", [True, False])
def test_a_loop_begins_with_a_view_whose_elements_lie_apart(function, optimise):
    table = np.arange(9.0).reshape(3, 3) ** 2
    f = ag.function(function, engine="native", optimise=optimise)
    f(table, N(0))
    assert compile_whole(f)
    for n in (0, 1, 3):
        assert described(f(table, N(n))) == described(function(table, N(n)))
    assert not engine_of(f).refused


@pytest.mark.parametrize(
    "function", [lambda t, n: inverted(t[..., 0], n), lambda t, n: inverted(t[:, 1:], n)]
)
def test_a_view_of_an_argument_that_may_be_the_result_stays_one(function):
    table = np.arange(9.0).reshape(3, 3)
    f = ag.function(function, engine="native")
    f(table, N(0))
    assert not compile_whole(f)
    assert engine_of(f).whole.reason == "a view of an array that the region does not own leaves it"
    assert np.shares_memory(f(table, N(0)), table)
    assert described(f(table, N(3))) == described(function(table, N(3)))


def inverted(part, n):
    for _ in range(n):
        part = -part
    return part


def array_and_row(n):
    y = np.zeros((3, 3)) + n
    v = y[0]
    for i in range(n):
        y = np.zeros((3, 3)) + i
        v = y[0]
    return v, y


def two_names_of_one(n):
    y = np.zeros(3) + n
    v = y
    for i in range(n):
        y = np.zeros(3) + i
        v = y
    return y, v


def separate_rows(n):
    table = np.zeros((3, 3)) + n
    a, b = table[0], table[1]
    for _ in range(n):
        a, b = b, a
    return table, a, b


def argument_or_new(table, n):
    y, v = table, table[0]
    for i in range(n):
        if table[0, 0] < i:
            y = table + i
            v = y[0]
    return y, v, table


def row_after_overflow(n):
    y = np.zeros((2, 2)) + n
    v = y[0]
    product = 1
    for i in range(n):
        y = np.zeros((2, 2)) + i
        v = y[0]
        product = product * 100000
    return v, y, product


def row_or_nothing(n):
    y = np.zeros((2, 2)) + n
    for i in range(n):
        if i > 1:
            y = np.zeros((2, 2)) + i
            v = y[1]
    return v if n > 2 else None, y


def shared(values):
    arrays = [v for v in values if isinstance(v, np.ndarray)]
    return [[np.shares_memory(a, b) for b in arrays] for a in arrays]


@pytest.mark.parametrize(
    ("function", "arguments"),
    [
        (array_and_row, ()),
        (two_names_of_one, ()),
        (separate_rows, ()),
        (argument_or_new, (np.zeros((2, 2)),)),
        (row_after_overflow, ()),
        (row_or_nothing, ()),
    ],
)
@pytest.mark.parametrize("whole", [False, True])
def test_results_share_the_memory_that_they_share_in_python(function, arguments, whole):
    f = ag.function(function, engine="native")
    f(*arguments, N(0))
    if whole:
        assert compile_whole(f)
    for n in (0, 1, 3, 9):
        expected, actual = function(*arguments, N(n)), f(*arguments, N(n))
        assert described(actual) == described(expected)
        assert shared(actual) == shared(expected)
    assert engine_of(f).regions and not engine_of(f).refused


def overlapping(n):
    y = np.zeros(4) + n
    for i in range(n):
        y = np.zeros(4) + i
    return y[:3], y[1:]


def test_parts_that_overlap_stay_with_numpy():
    f = ag.function(overlapping, engine="native")
    f(N(2))
    assert not compile_whole(f)
    assert engine_of(f).whole.reason == "two results may share parts of their memory"
    assert shared(f(N(2))) == shared(overlapping(N(2)))


def equal_constants(n):
    a, b = np.zeros(2), np.zeros(2)
    for i in range(n):
        a, b = a + i, b - i
    return a, b


def rows_of_a_constant(n):
    y = np.zeros((3, 2))
    a, b = y[0], y[1]
    for i in range(n):
        a, b = a + i, b - i
    return a, b


@pytest.mark.parametrize("function", [equal_constants, rows_of_a_constant])
def test_equal_constants_are_results_of_their_own(function):
    f = ag.function(function, engine="native")
    f(N(1))
    assert compile_whole(f)
    for n in (0, 2):
        first, second = f(N(n))
        assert not np.shares_memory(first, second)
        assert described((first, second)) == described(function(N(n)))


def written_copy(table, n):
    own = table * 1.0
    for i in range(n):
        own[i] = i
    return own


def test_a_copy_keeps_the_order_in_memory():
    table = np.asfortranarray(np.arange(6.0).reshape(2, 3))
    for engine in ("numpy", "native"):
        f = ag.function(written_copy, engine=engine)
        for n in (0, 1, 2):
            assert f(table, N(n)).strides == written_copy(table, n).strides


# --- Which argument a result is -------------------------------------------------------------------


def first_or_second(x, y, n):
    z = x
    for i in range(n):
        if i == 1:
            z = y
    return z


def second_or_none(x, y, n):
    z = None
    if n > 2:
        z = x
    for i in range(n):
        if i == 3:
            z = y
    return z


def after_overflow(x, y, n):
    z, product = x, 1
    for i in range(n):
        product = product * 100000
        if i == 1:
            z = y
        if i == 5:
            z = x
    return z, product


def number_of(argument, arguments):
    return next((i for i, a in enumerate(arguments) if a is argument), None)


SLICES = (slice(0, 5), slice(5, 10), slice(0, 10), slice(3, 8), slice(0, 0), slice(5, 5), slice(10, 10))


@pytest.mark.parametrize("function", [first_or_second, second_or_none, after_overflow])
@pytest.mark.parametrize("whole", [False, True])
def test_a_result_is_the_argument_that_it_is_in_python(function, whole):
    """Arguments may overlap, be empty, or be views of all of each other, of which one is read-only."""
    table = np.arange(10.0)
    signature = [*[ag.TensorSpec((None,), "float64")] * 2, ag.TensorSpec((), "int64")]
    f = ag.function(function, engine="native", input_signature=signature)
    f(table, table.copy(), N(0))
    assert not whole or compile_whole(f)
    for a in SLICES:
        for b in SLICES:
            for n in (0, 1, 2, 3, 4, 8):
                arguments = table[a], table[b]
                arguments[0].flags.writeable = False
                actual, expected = f(*arguments, N(n)), function(*arguments, n)
                assert described(actual) == described(expected)
                if type(expected) is tuple:
                    actual, expected = actual[0], expected[0]
                assert number_of(actual, arguments) == number_of(expected, arguments)
    assert engine_of(f).regions and not engine_of(f).refused


def empty_twice(x, n):
    a = b = x
    for i in range(n):
        if i == 1:
            a = x * 2
        if i == 2:
            b = a
    return a, b


def rows_of_constants(n):
    y = np.zeros((3, 2))
    a, b = y[0], y[1]
    for i in range(n):
        y = np.ones((3, 2)) * i
        a = y[i]
        b = y[i]
    return a, b


@pytest.mark.parametrize("size", [0, 3])
def test_names_of_one_array_without_elements(size):
    f = ag.function(empty_twice, engine="native")
    x = np.ones(size)
    f(x, N(1))
    for whole in (False, True):
        assert not whole or compile_whole(f)
        for n in (0, 1, 2, 3):
            a, b = f(x, N(n))
            assert (a is x, b is x, a is b) == (n < 2, n < 3, n != 2)


def test_rows_of_constants_are_separate():
    f = ag.function(rows_of_constants, engine="native")
    f(N(1))
    assert compile_whole(f)
    a, b = f(N(0))
    assert not np.shares_memory(a, b)
    assert np.shares_memory(*f(N(2)))


def written_constant(n):
    y = np.zeros((3, 2))
    for i in range(n):
        y[i] = i
    return y[1], y


def test_a_constant_that_is_written_to_is_one_array():
    f = ag.function(written_constant, engine="native")
    f(N(1))
    assert compile_whole(f)
    for n in (0, 2):
        assert shared(f(N(n))) == shared(written_constant(n))


def written_before_an_error(values, n):
    for i in range(n):
        if values[0] > 3.0:
            values[1] = i
            raise ValueError("too large")
    return values


def test_an_argument_that_is_written_to_before_an_error_is_returned():
    f = ag.function(written_before_an_error, engine="native")
    f(np.zeros(2), N(1))
    assert compile_whole(f)
    values = np.zeros(2)
    assert f(values, N(2)) is values


def filled(out, n):
    k = 0
    for i in range(n):
        if i != 1:
            out[k] = i
            k += 1
    return out[:k]


def parts_of_written(table, n):
    for i in range(n):
        table[i, 0] = i
    return table[n:], table.T, table[::2, ::-1], table.diagonal(), table[None], table.view(np.int64)


def written_view(values, n):
    part = values[1:]
    inner = part[1:]
    inner[n] = 9.0
    return inner, part, values, inner[n:]


def written_view_of_new(values, n):
    new = values * 2
    part = new[::2]
    part[n] = 9.0
    return part, new, part


def equal_views(values, n):
    values[n] = 1.0
    new = values * 2
    return values[1:], values[1:], new[n:], new[n:]


def another_array(values, n):
    new = values * n
    values[:] = new
    return new, new[1:]


TABLE = np.arange(64.0).reshape(8, 8)


@pytest.mark.parametrize("engine", ["native", "numpy"])
@pytest.mark.parametrize(
    ("function", "view"),
    [
        *[(f, v) for f in (filled, another_array) for v in (np.s_[0], np.s_[:, 1], np.s_[0, ::-2])],
        *[(f, np.s_[0, 3:]) for f in (written_view, written_view_of_new, equal_views)],
        *[(parts_of_written, v) for v in (np.s_[:], np.s_[:, 2:5], np.s_[::-1], np.s_[::2, 1:4])],
    ],
)
def test_views_of_what_has_been_written_to(function, view, engine):
    f = ag.function(function, engine=engine)
    for n in (0, 2):
        first, second = TABLE.copy(), TABLE.copy()
        expected, actual = (g(t[view], N(n)) for g, t in ((function, first), (f, second)))
        expected, actual = (v if isinstance(v, tuple) else (v,) for v in (expected, actual))
        assert described(actual) == described(expected)
        assert shared((*actual, second)) == shared((*expected, first))
        assert [v is actual[0] for v in actual] == [v is expected[0] for v in expected]
        assert first.tobytes() == second.tobytes()
