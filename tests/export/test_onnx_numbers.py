"""Errors of the engine "onnxruntime" that depend on values: those of Python and NumPy, or our own."""

from __future__ import annotations

import math

import numpy as np
import pytest
from backends.support import required
from engine_support import same

import autograph_rs as ag

required("onnx")
required("onnxruntime")

MATRIX = np.arange(6).reshape(2, 3)


def fibonacci(n):
    a, b = 0, 1
    for _ in range(n):
        a, b = b, a + b
    return a


def factorial(n):
    product = 1
    for k in range(1, n + 1):
        product *= k
    return product


def written(x, n):
    number = 0
    for _ in range(n):
        number -= 100
    x[0] = number
    return x


def written_float(x, number):
    x[0] = number
    return x


WITHIN = {
    "floats among ints": (lambda x: written_float(np.zeros(2, "int8"), float(x)), 2.75),
    "unsigned indices": (lambda k: MATRIX[k, k], np.array([0, 1], "uint32")),
    "an unsigned index": (lambda k: (MATRIX + k)[k], np.uint8(1)),
    "a power of zero": (lambda x: float(x) ** 2, 0.0),
    "a large power": (lambda x: float(x) ** 2, 1e150),
    "roots of NaN": (lambda x: float(x) ** 0.5, math.nan),
    "floor": (lambda x: math.floor(x) + math.ceil(x) + math.trunc(x), -2.5),
    "fmod": (lambda x: math.fmod(x, 3.0), -7.5),
    "hypot of three": (lambda x: math.hypot(x, 4.0, 12.0), 3.0),
    "pow": (lambda x: math.pow(2.0, x), 3.0),
    "a shift": (lambda n: 1 << int(n), 62),
    "a power of ints": (lambda n: 3 ** int(n), 39),
    "a sum": (fibonacci, 90),
    "a product": (factorial, 20),
    "choices": (lambda k: np.choose(k, [10, 20, 30]), np.array([2, 0])),
    "choices that wrap": (lambda k: np.choose(k, [10, 20, 30], mode="wrap"), np.array([-1, 4])),
    "choices that end": (lambda k: np.choose(k, [10, 20, 30], mode="clip"), np.array([-1, 4])),
}

RAISING = {
    "floor of NaN": (math.floor, math.nan),
    "ceil of infinity": (math.ceil, math.inf),
    "fmod by zero": (lambda x: math.fmod(x, 0.0), 1.0),
    "a negative power of zero": (lambda x: float(x) ** -1, 0.0),
    "math.pow of zero": (lambda x: math.pow(x, -1.0), 0.0),
    "a power beyond floats": (lambda x: float(x) ** 2, 1e200),
    "exp": (math.exp, 1000.0),
    "cosh": (math.cosh, 1000.0),
    "log of zero": (math.log, 0.0),
    "atanh of one": (math.atanh, 1.0),
    "sqrt": (math.sqrt, -1.0),
    "sine of infinity": (math.sin, math.inf),
    "a negative shift": (lambda n: 1 << int(n), -1),
    "an item too small for the dtype": (lambda n: written(np.zeros(2, "int8"), n), 2),
    "an item below zero": (lambda n: written(np.zeros(2, "uint64"), n), 2),
    "a choice": (lambda k: np.choose(k, [10, 20, 30]), np.array([3, 0])),
    "along an axis": (lambda k: np.take_along_axis(MATRIX + k[0, 0], k, 1), np.array([[3], [0]])),
    "infinity among ints": (lambda x: written_float(np.zeros(2, "int8"), float(x)), math.inf),
    "NaN among ints": (lambda x: written_float(np.zeros(2, "int8"), float(x)), math.nan),
    "an int of an array": (int, np.array([3.0])),
    "a float of an array": (float, np.array([[3.0]])),
    "an item": (lambda k: (MATRIX + k)[k, :], np.array(3)),
}

LARGE = {
    "sum": (fibonacci, 120),
    "product": (factorial, 25),
    "sum of a list": (lambda n: sum([int(n), 2**62]), 2**62),
    "large number": (lambda n: int(n) + (2**62 + 1), 2**62),
    "shift": (lambda n: 1 << int(n), 63),
    "power": (lambda n: 3 ** int(n), 40),
    "float": (int, 1e30),
}

REFUSED = {
    "complex": (lambda x: float(x) ** (1 / 3), -8.0),
    "a negative power": (lambda n: 2 ** int(n), -2),
}


def made(case, engine):
    given, value = case

    def f(x):
        return given(x)

    with np.errstate(all="ignore"):
        return ag.function(f, engine=engine)(np.asarray(value)[()])


@pytest.mark.parametrize("name", WITHIN)
def test_numbers_for_which_nothing_is_raised(name):
    same(made(WITHIN[name], "onnxruntime"), made(WITHIN[name], "numpy"))


@pytest.mark.parametrize("name", RAISING)
def test_as_by_numpy(name):
    with pytest.raises(Exception) as expected:  # noqa: PT011 - which it is, is what is compared
        made(RAISING[name], "numpy")
    with pytest.raises(expected.type) as found:
        made(RAISING[name], "onnxruntime")
    assert found.type is expected.type


@pytest.mark.parametrize("name", LARGE)
def test_ints_that_need_more_than_64_bits(name):
    assert made(LARGE[name], "numpy") > 2**63 - 1
    with pytest.raises(OverflowError, match=r"64 bits|to an integer"):
        made(LARGE[name], "onnxruntime")


@pytest.mark.parametrize("name", REFUSED)
def test_numbers_of_another_type(name):
    """Python gives a complex number, or a float for ints."""
    assert type(made(REFUSED[name], "numpy")) in (complex, float)
    with pytest.raises(ag.AutographError, match="pow"):
        made(REFUSED[name], "onnxruntime")
