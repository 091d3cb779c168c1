"""Arrays in machine code: element-wise functions, reductions, items, slices, and shared memory."""

from __future__ import annotations

import numpy as np
import pytest
from breadth import some
from native_support import check, described, draw, engine_of, needs_llvm, outcome, specs

import autograph_rs as ag

pytestmark = needs_llvm
N, F = np.int64, np.float64
SIZES = (0, 1, 2, 3, 7, 8, 9, 31, 64, 1000)
VECTOR = ((None,), "float64")
COUNT = ((), "int64")


def arithmetic(a, b, n):
    r = a
    for _ in range(n):
        r = (r + b) * a - b / (abs(r) + 0.5)
    return r


def divisions(a, b, n):
    r, q = a, a
    for _ in range(n):
        r = r // b
        q = a % b
    return r, q


def functions(a, b, n):
    r, s = a, a
    for _ in range(n):
        r = np.exp(r) + np.sin(b)
        s = np.sqrt(np.abs(s)) * np.tanh(b) + np.floor(a)
    return r, s


def choices(a, b, n):
    r = a
    for _ in range(n):
        r = np.where(b > 0, r / b, np.where(b == 0, -r, 1.5))
    return r


def extremes(a, b, n):
    r = a
    for _ in range(n):
        r = np.maximum(np.minimum(r, b), a)
    return r


def comparisons(a, b, n):
    r = a > b
    for _ in range(n):
        r = (r & (a < b)) | (a != b) ^ np.isnan(b)
    return r


@pytest.mark.parametrize("dtype", some(("float64",), ("float64", "float32")))
@pytest.mark.parametrize("function", [arithmetic, divisions, functions, choices, extremes, comparisons])
def test_elementwise_functions(function, dtype):
    """Element-wise functions have the bits and warnings of NumPy's for all sizes."""
    vector = ((None,), dtype)
    calls = [
        (draw(s, s + k, dtype), draw(s, s + k + 7, dtype), N(n))
        for s in SIZES
        for k in (0, 100)
        for n in (0, 2)
    ]
    tame = [(np.linspace(0.5, 2, s, dtype=dtype), np.linspace(1, 3, s, dtype=dtype), N(2)) for s in SIZES]
    check(function, *tame, *calls, input_signature=specs(vector, vector, COUNT), plain=False, is_native=False)
    check(
        function,
        *calls,
        errors={"all": "raise"},
        input_signature=specs(vector, vector, COUNT),
        plain=False,
        is_native=False,
    )


def integers(a, b, n):
    r = a
    for _ in range(n):
        r = r * b + (a ^ b) - (r & 7) + (a << 2) + (b >> 1)
    return r, ~a


@pytest.mark.parametrize(
    "dtype", some(("int64", "uint8"), ("int64", "uint8", "int8", "int32", "uint32", "uint64"))
)
def test_integers_wrap_in_arrays(dtype):
    """Integers in arrays wrap without a warning."""
    vector = ((None,), dtype)
    calls = [(draw(s, s, dtype), draw(s, s + 9, dtype), N(3)) for s in SIZES]
    check(integers, *calls, input_signature=specs(vector, vector, COUNT))


def written_slices(a, n):
    for i in range(n):
        a[i:] = i
        a[: i + 1] *= 2.0
    return a


def shifted(a, n):
    for _ in range(n):
        a[1:] = a[:-1]
        a[:-2] = a[2:]
        a[2:] += a[:-2]
    return a


def broadcast(m, v, n):
    for i in range(n):
        m[i] = v
        m[:, 0] = i
        m += v * i
    return m


def test_slices():
    """Slices are assigned as in NumPy, also where they overlap, and errors leave the same state."""
    vectors = [(draw(s, s), N(n)) for s in SIZES[:7] for n in (0, 1, 2, 5)]
    check(written_slices, *vectors, input_signature=specs(VECTOR, COUNT), is_native=False)
    check(
        shifted,
        *[(np.arange(float(s)), N(3)) for s in range(6)],
        input_signature=specs(VECTOR, COUNT),
        is_native=False,
    )
    calls = [
        (np.zeros((p, q)), np.arange(float(r)), N(n))
        for p in (0, 1, 3)
        for q in (1, 3)
        for r in (1, 3)
        for n in (1, 3)
    ]
    check(
        broadcast,
        *calls,
        input_signature=specs(((None, None), "float64"), VECTOR, COUNT),
        is_native=False,
        plain=False,
    )


def scaled(a, n):
    s = 0.0
    for i in range(n):
        a[i] = a[i] * 2.0
        s = s + a[i]
    return s


def test_layouts():
    """Arrays of any layout give the same result, and are written to in place."""
    given = np.arange(16.0)
    read_only = np.arange(8.0)
    read_only.flags.writeable = False
    misaligned = np.frombuffer(bytearray(65), np.uint8)[1:].view(np.float64)
    for array in (
        given,
        given[::2],
        given[::-1],
        np.asfortranarray(given.reshape(4, 4))[:, 1],
        misaligned,
        read_only,
    ):
        check(scaled, (array, N(4)))
        mine, theirs = array.copy(), array.copy()
        assert described(ag.function(scaled, engine="native")(mine[::1], N(3))) == described(
            scaled(theirs, N(3))
        )
        assert described(mine) == described(theirs)


def latest(a, b, n):
    c = a
    for i in range(n):
        c = b if i % 2 == 0 else a
    return c


def rows(m, n):
    r = m[0]
    for i in range(n):
        r = m[i]
    return r


def grown(a, n):
    c = a
    for _ in range(n):
        c = c + 1.0
    return c, a


@pytest.mark.parametrize(
    ("function", "arguments"),
    [(latest, (np.ones(3), np.zeros(3))), (rows, (np.ones((3, 2)),)), (grown, (np.ones(3),))],
)
def test_which_arrays_a_result_shares(function, arguments):
    """A result shares memory with the arguments that it shares with where NumPy runs the graph."""
    numpy, native = (ag.function(function, engine=e) for e in ("numpy", "native"))
    for n in (0, 1, 2):
        expected, actual = numpy(*arguments, N(n)), native(*arguments, N(n))
        for ours, theirs in zip(
            *(r if isinstance(r, tuple) else (r,) for r in (actual, expected)), strict=True
        ):
            shared = [[np.shares_memory(r, a) for a in arguments] for r in (ours, theirs)]
            assert shared[0] == shared[1]
            assert described(ours) == described(theirs)


def swapped(given, n):
    a = given * 2.0
    b = np.zeros_like(a)
    for i in range(n):
        a, b = b + i, a * 0.5
    return a, b


def temporaries(a, n):
    s = np.float64(0.0)
    for i in range(n):
        t = a + i
        u = np.zeros(3) + t[0]
        s = s + (t * u[0]).sum()
    return s


def test_carried_and_temporary_arrays():
    """Arrays change places between iterations, and temporary ones live as long as they are used."""
    check(swapped, *[(np.arange(5.0), N(n)) for n in range(4)])
    check(
        temporaries,
        *[(np.arange(float(s)), N(n)) for s in (1, 5) for n in (0, 1, 100)],
        plain=False,
        is_native=False,
    )


def all_of_them(a, n):
    s, t = 0.0, 0.0
    for i, x in enumerate(a):
        s = s * 2.0 + x * i
    for x, y in zip(a, reversed(a), strict=False):
        t = t * 2.0 + x * y
    for row in np.zeros((2, 3)) + a[0]:
        s = s + row.sum()
    for i in range(n, -3, -2):
        t = t + i
    return s, t


def test_iterables():
    """Loops over arrays, pairs, ranges and rows."""
    check(
        all_of_them,
        *[(np.arange(1.0, s), N(n)) for s in (2, 3, 9) for n in (-9, 0, 5)],
        plain=False,
        is_native=False,
    )


def bad_index(a, k, n):
    s = np.float64(0.0)
    for i in range(n):
        a[i] = -1.0
        s = s + a[i + k]
    return s


def test_an_error_leaves_the_arguments():
    """An index error has NumPy's message and the user's line, and no argument has changed."""
    check(
        bad_index,
        *[(np.arange(5.0), N(k), N(n)) for k in (-7, -6, -5, 0, 1, 4, 9) for n in (0, 3, 6)],
        plain=False,
    )
    result = outcome(ag.function(bad_index, engine="native"), (np.arange(5.0), N(3), N(5)))
    assert result[1][:2] == (IndexError, "index 5 is out of bounds for axis 0 with size 5")


def up_to(a, i, n, step, offset):
    while i <= n:
        a[i + 1] = a[i] + a[i + offset]
        i += step
    return i


def below(a, i, n, step):
    s = 0.0
    while i < n:
        s = s + a[i, i - 1]
        a[i, 0] = s
        i += step
    return s


def test_a_while_loop_may_end_at_the_last_index_or_beyond():
    """Whether its limit is in bounds or not, each index is checked as in NumPy."""
    starts, limits = (-3, -1, 0, 2), (-1, 0, 3, 4, 5, 6, 9)
    for step in (1, 2, 3):
        calls = [(np.arange(6.0), N(i), N(n), N(step), N(k)) for i in starts for n in limits for k in (0, -2)]
        check(up_to, *calls, plain=False, is_native=False)
        square = [(np.arange(16.0).reshape(4, 4), N(i), N(n), N(step)) for i in starts for n in limits]
        check(below, *square, plain=False, is_native=False)


def every_third(a, n):
    i, s = 0, 0.0
    while i <= n:
        s += a[i]
        i += 3
    return s


def test_a_limit_out_of_bounds_that_is_not_reached():
    """The loop stays machine code."""
    f = check(every_third, *[(np.arange(10.0), N(n)) for n in (8, 9, 10, 11)])
    assert all(region.bailouts == 0 for region in engine_of(f).regions)


def read_beyond_a_view(values, n):
    q = False
    w = np.zeros(n)
    for x in values:
        y = x / 2
        w = w[-0:][::1]
        k = 0
        while k < n:
            k = k + 1
            q = not w[1]
        w[1:] = w[:-1]
    return q, w, y


@pytest.mark.parametrize("optimise", [True, False])
def test_a_view_in_an_inner_graph_is_made_again_after_machine_code_gave_up(optimise):
    f = ag.function(read_beyond_a_view, engine="native", optimise=optimise)
    values = np.arange(8)
    assert f(values, np.int64(3))[0]
    with pytest.raises(IndexError, match="index 1 is out of bounds for axis 0 with size 1"):
        f(values, np.int64(1))
