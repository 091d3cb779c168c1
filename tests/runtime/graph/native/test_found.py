"""Functions for which machine code once did something else than NumPy."""

from __future__ import annotations

import math

import numpy as np
import pytest
from native_support import check, engine_of, needs_llvm, specs

import autograph_rs as ag

pytestmark = needs_llvm
N, F = np.int64, np.float64
VECTOR, NUMBER, COUNT = ((None,), "float64"), ((), "float64"), ((), "int64")


def used_after_the_loop(a, b, n):
    y = np.float64(0)
    for i in range(n):
        y = a[i] * b
    return y


def used_in_one_branch(a, b, n):
    s = 0
    for i in range(n):
        t = a[i] * b > 3
        if i == 1:
            s = s + t
    return s


def of_both_branches(a, b, n):
    s = np.float64(0)
    for i in range(n):
        if i > 0:
            t = a[i] * b
        else:
            t = a[i] * a[i]
        if i == 1:
            s = s + t
    return s


def flags_that_a_loop_of_numpy_clears(a, b, n):
    y = a[0]
    for i in range(n):
        y = y / (b * 0.0)
        y = np.maximum(y, a[i])
    return y


def folded_selection(a, b, n):
    u = b
    for i in range(n):
        u = (a[i] == 1) * 0.5
        u = (u / 0) + b
    return u


def quotient_that_overflows(a, b, n):
    s = np.float64(0)
    for i in range(n):
        s = s + a[i] // (1 / b)
    return s


@pytest.mark.parametrize(
    "errors", [{}, {"all": "ignore"}, {"all": "raise"}, {"over": "raise", "divide": "ignore"}]
)
@pytest.mark.parametrize(
    "function",
    [used_after_the_loop, used_in_one_branch, of_both_branches, flags_that_a_loop_of_numpy_clears,
     folded_selection, quotient_that_overflows],
)  # fmt: skip
def test_warnings_that_llvm_would_lose(function, errors):
    """LLVM moves, folds and drops operations on floats, and loops of NumPy clear the processor's flags."""
    calls = [(np.array([1e308, 1.0, 1e308]), F(b), N(n)) for b in (1.0, 1e10, 1e300) for n in (0, 1, 2, 3)]
    check(function, *calls, errors=errors, input_signature=specs(VECTOR, NUMBER, COUNT), plain=False)


def divided_where_it_is_positive(a, b, n):
    s = a * 0
    for _ in range(n):
        s = s + np.where(b > 0, a / b, 0.0)
    return s


def test_where_divides_everything():
    """`np.where` computes both alternatives for all elements, and warns of those that it does not select."""
    calls = [(np.ones(s), np.zeros(s), N(2)) for s in (0, 1, 2, 3, 8, 9)]
    check(divided_where_it_is_positive, *calls, input_signature=specs(VECTOR, VECTOR, COUNT), plain=False)


def too_large_for_float32(a, n):
    for i in range(n):
        a[i] = 1e200 + i
    return a


def fixed_and_too_large(a, n):
    for i in range(n):
        a[i] = 1e200
    return a


def python_int_as_float32(x, n):
    s = x
    for i in range(n):
        s = x * (2**60 + 2**36 + 1 + i)
    return s


def test_conversions_to_float32():
    """A constant that float32 cannot represent warns, and NumPy rounds a Python int twice."""
    for function in (too_large_for_float32, fixed_and_too_large):
        check(function, (np.zeros(3, np.float32), N(2)), (np.zeros(3, np.float32), N(0)))
        check(function, (np.zeros(3, np.float32), N(2)), errors={"over": "raise"}, plain=False)
    check(python_int_as_float32, (np.float32(1), N(3)))


def thousands(n):
    s = 0
    for _ in range(n):
        s = s + 1000
    return s


def test_a_loop_that_only_counts(monkeypatch):
    """LLVM computes what such a loop gives, and must not skip 2**60 iterations with a sum that wraps."""
    native = check(thousands, (N(10),), (N(0),))
    [region] = engine_of(native).regions
    assert native(N(2**51)) == 1000 * 2**51
    monkeypatch.setattr(
        region, "_resume_function", lambda *_: lambda *_: ("in Python",)
    )  # it would run for years
    assert native(N(2**60)) == "in Python"


def remainders(a, n):
    s = np.float64(0)
    for i in range(n):
        s = s + a[i * 6148914691236517205 // 2**61]
    return s


def divisors(n):
    s = 0
    for i in range(4194304, n):
        s = s + 100 // (i * i * i)
    return s


def test_bounds_hold_only_without_overflow():
    """An index or divisor that has overflowed is not used before the overflow is noticed."""
    check(remainders, (np.arange(5.0), N(2)), (np.arange(5.0), N(3)), plain=False)
    check(divisors, (N(4194306),))


def products(k, n):
    s = 0.0
    for i in range(n):
        a = np.zeros((k << i, k << i))
        a[5, 5] = 1.0
        s = s + a[5, 5] + a.size * 0
    return s


def test_arrays_that_are_too_large():
    """The size of an array may exceed 64 bits."""
    for k in (2**40, 2**33, 2**32, 3037000500, 2):
        check(products, (N(k), N(2)), plain=False, is_native=False)


def pairs(a, b, n):
    s, k = 0, 1
    for i, (x, y) in enumerate(zip(a, b, strict=False)):
        s = s + int(x * y) + i
        k = k * 10**15
    for i, x in enumerate(b, 5):
        s = s * i + int(x)
        k = k * 10**15
    for x in a:
        s = s + int(x)
        k = k * 10**15
    for x in reversed(b):
        s = s * 3 + int(x)
    for x in range(n):
        s = s * 10**9 + x
    return s, k


def test_the_rest_of_a_loop_after_a_bailout():
    """The later elements of each kind of iterable follow where machine code has given up."""
    calls = [(np.arange(float(s)), np.arange(float(t)) + 1, N(5)) for s in (0, 1, 4, 9) for t in (0, 1, 9)]
    check(pairs, *calls, is_native=False, plain=False)
    check(pairs, *calls, input_signature=specs(VECTOR, VECTOR, COUNT), is_native=False, plain=False)


def largest(x, n):
    s = 0
    for i in range(n):
        s = max(100, x)
        s = max(i * 0.5, s)
    return s


def passed(x, y, n):
    s = x
    for i in range(n):
        s = y if i == 5 else x
    return s


def test_types_of_results():
    """`max` returns one of its operands, whatever its type, and an array without dimensions stays one."""
    check(
        largest, *[(F(v), N(n)) for v in (2.5, 100.0, 200.0) for n in (0, 1, 3)], is_native=False, plain=False
    )
    numbers = [(F(2), F(3), N(n)) for n in (0, 3, 8)]
    check(passed, *numbers, *[(np.array(2.0), np.array(3.0), n) for _, _, n in numbers], plain=False)


def floors(a, n):
    s = 0
    t = 0.5
    for i in range(n):
        t = t * 2.0
        s = s + i
        s = math.trunc(a[i])
    return s, t


def test_the_line_of_an_error_after_bailouts():
    """An error after several bailouts names the line that raised it."""
    arguments = np.array([2.0, 1e30, 1e30, np.nan]), N(4)
    check(floors, arguments)
    for engine in ("numpy", "native"):
        with pytest.raises(ValueError, match="NaN") as info:
            ag.function(floors, engine=engine)(*arguments)
        assert "math.trunc(a[i])" in str(info.traceback[-1].statement)


def huge_steps(n):
    s = 0
    for i in range(-5, n, 2**62):
        s = s + i
    for i in range(n, -5, -(2**63 - 1)):
        s = s + i
    return s


def test_huge_steps():
    """A step may exceed all elements of a range."""
    check(huge_steps, (N(5),), (N(-5),), (N(2**62),), is_native=False)


def appended(values, n):
    out, first = [], [0]
    for x in values:
        if x > n:
            out.append(x)
        else:
            out.append(0)
    for i, x in enumerate(values):
        first.append(x + i)
    for x in values:
        following = x + 1
        first.append(following)
    return out, first


def test_lists_of_unlike_numbers():
    """A Python int in a list of NumPy scalars stays one."""
    check(appended, (np.array([3, -1, 4]), N(0)), is_native=False)


def divided_and_compared(b, u, n):
    w = np.zeros(n)
    x = u
    k = 0
    while k < n:
        k = k + 1
        x = w[k] / 0
        x = np.fmax(b[k + 1], u) + x
    return x


def root_before_an_index(a, n):
    for i in range(n, 0, -1):
        a = np.sqrt(a) - a[i + 1]
    return a


def narrowed(b, n):
    for _ in range(n):
        b = b.astype(np.float32) * b
    return b


def powers_of_two_kinds(a, b, n):
    u = v = 0.0
    for i in range(n):
        u = np.power(a[0], b[i])
        v = a[0] ** b[i]
    return u, v


def infinite(x, n):
    s = 0
    u = x * 0
    for i in range(n):
        s = s + i
    return s, u


def test_every_warning_of_floats():
    """One warning for each operation, in the order of Python, whatever LLVM does with the operations."""
    halves = np.array([2.5, 2.5], np.float32)
    check(divided_and_compared, (np.array([2, 2, 5, 1], np.int8), F(2.0), N(4)))
    check(root_before_an_index, *[(np.array([3.0, 1000, 1000, -7.25]), N(n)) for n in (4, 2, 1)])
    check(narrowed, *[(np.array([3.0, 1e300, 1000]), N(n)) for n in (4, 2, 1)], plain=False)
    check(powers_of_two_kinds, (np.array([2.5]), halves, N(2)))
    check(infinite, (F(np.inf), N(3)), (F(2.0), N(3)))


def indexed(w, m, n):
    s = 0.0
    for i in range(n):
        s = s + w[m] + i
    return s, m


def carried_index(w, m, n):
    k = m
    for _ in range(n):
        w[k] += 1
        k = np.minimum(k, m)
    return w, k


def test_an_index_of_fewer_bits_keeps_its_type():
    for kind in (np.int8, np.int32, np.uint16, np.int64):
        check(indexed, (np.arange(5.0), kind(3), N(4)))
        check(carried_index, (np.arange(5.0), kind(3), N(4)))


def written_with_a_conversion_that_warns(b, n):
    for _ in range(n):
        b[:] = np.exp(b)
    return b


def part_written_with_a_conversion_that_warns(b, w, n):
    for i in range(n):
        b[1:] = w[1:] * b[1:]
        w = w + i
    return b


def test_an_assignment_that_leaves_machine_code_has_written_nothing():
    """Elements before the one whose conversion warns are not computed twice."""
    big = 2**63 - 2
    ints = np.array([2, big, -big - 2, 5, big, 1, -big - 2])
    check(written_with_a_conversion_that_warns, *[(ints, N(n)) for n in (2, 7, 7)], plain=False)
    floats = np.array([1.0, 2.0, 3.0, 1e300, 2.0, 1e18, 1.0])
    check(part_written_with_a_conversion_that_warns, *[(ints, floats, N(n)) for n in (1, 3, 3)], plain=False)


def truncated(q, n):
    total = 0
    for _ in range(n):
        total += math.trunc(q)
    return total


def test_truncating_a_boolean_of_numpy_is_an_error():
    check(truncated, (np.bool_(True), N(3)), (np.bool_(False), N(0)), is_native=False)
    check(truncated, (True, N(3)), is_native=False)


def ones_like_roots(c, n):
    for _ in range(n):
        roots = np.sqrt(c)
        c = np.ones_like(roots)
    return c


def test_an_operation_whose_result_only_gives_a_shape_warns():
    check(ones_like_roots, (np.array([-7.25, 1.0]), N(2)), (np.array([4.0]), N(1)))
