"""Methods of numbers, functions of `math` and formulas of `statistics` on staged numbers."""

import itertools
import math
from statistics import NormalDist

import numpy as np
import pytest

import autograph_rs as ag


def bits(n):
    return n.bit_count(), int(n).bit_count(), int(n).bit_length(), sum(1 for k in range(8) if (n >> k) & 1)


@pytest.mark.parametrize("dtype", [np.int8, np.int64, np.uint64])
@pytest.mark.parametrize("n", [0, 1, 13, 127])
def test_bits(dtype, n):
    assert ag.function(bits)(dtype(n)) == bits(dtype(n))


def test_bits_of_long_integers():
    f = ag.function(lambda n: ((int(n) << 80).bit_length(), (-int(n) << 80).bit_count()))
    assert f(np.int64(5)) == (83, 2)


def test_a_float_has_no_bits():
    with pytest.raises(AttributeError, match="bit_count"):
        ag.function(lambda x: x.bit_count())(np.float64(1))


def lengths(xs, x):
    way = [(y, y * x) for y in xs if y > x]
    total = sum(math.dist(p, q) for p, q in itertools.pairwise(way))
    three = math.fsum([x, 1e100, xs[1], -1e100])
    return total, math.dist((x, xs[0]), (0, 0)), math.dist([1, x], xs[:2]), three


@pytest.mark.parametrize("x", [-9.0, 0.1, 2.0])
def test_distances_and_sums(x):
    xs = np.array([1.0, 3.0, -2.0, 0.3])
    assert ag.function(lengths)(xs, np.float64(x)) == lengths(xs, x)


def test_distances_of_unlike_points():
    with pytest.raises(ValueError, match="same number of dimensions"):
        ag.function(lambda x: math.dist((x, 1.0), (1.0, 2.0, 3.0)))(np.float64(1))


def test_derivative_of_a_distance():
    gradient = ag.grad(lambda x: math.dist((x, 2.0), (1.0, x)) + math.fsum([x, x * x]))
    assert gradient(3.0) == pytest.approx(3 / math.sqrt(5) + 7)


def normal(x, s):
    cdf, other = NormalDist().cdf, NormalDist(0.5, s)
    return cdf(x) + other.pdf(x), other.cdf(x) if x > 0 else other.cdf(-x), other.zscore(x), other.stdev


@pytest.mark.parametrize("x", [-1.0, 0.3])
def test_normal_distributions(x):
    assert ag.function(normal)(np.float64(x), np.float64(2.0)) == normal(x, 2.0)


def test_arrays_with_named_fields():
    def f(xs):
        return np.array([(x, 1.0) for x in xs], dtype=[("a", "f8"), ("b", "f8")])["a"].sum()

    with pytest.raises(ag.UnsupportedFunctionError, match="would return an array with named fields"):
        ag.function(f)(np.array([1.0, 2.0]))
