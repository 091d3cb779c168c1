"""Conversions with two arguments: `int` of a text in a base, and `complex` of two parts. Parts of numbers."""

import numpy as np
import pytest

import autograph_rs as ag


def product(xs):
    z = 1 + 0j
    for x in xs:
        z = z * complex(x, -x)
    return z


def parsed(text):
    try:
        return int(text, 2)
    except ValueError:
        return -1


def parts_of_numbers(re, im, count):
    z = complex(re, im)
    return [(x.real, x.imag, x.conjugate()) for x in (z, re, count, count > 2)]


CASES = {
    "parts": (lambda re, im: complex(re, im) + 1, (1.5, -0.0)),
    "an infinite part": (lambda re, im: -complex(re, im), (np.float64(np.inf), np.int64(2))),
    "named parts": (lambda re, im: complex(imag=im, real=re), (1.5, np.float32(2.5))),
    "an imaginary part": (lambda im: complex(imag=im) + 1, (np.float64(2.5),)),
    "parts of numbers": (parts_of_numbers, (np.inf, -0.0, 3)),
    "in a loop": (product, (np.array([0.5, 2.0, -1.0]),)),
    "a base": (lambda text, base: int(text, base) + 1, ("ff", 16)),
    "a named base": (lambda text: int(text, base=8), ("17",)),
    "formatted": (lambda n: int(f"{n:b}"[::-1], 2), (np.int64(12),)),
    "digits": (parsed, ("101",)),
    "no digits": (parsed, ("102",)),
}


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("engine", ["numpy", "auto"])
def test_results(name, engine, tmp_path):
    f, args = CASES[name]
    expected = f(*args)
    staged = ag.function(f, engine=engine)
    result = staged(*args)
    assert (repr(result), type(result)) == (repr(expected), type(expected))
    ag.save(staged, tmp_path / "f.json")
    assert repr(ag.load(tmp_path / "f.json")(*args)) == repr(expected)


def test_a_number_has_no_base():
    with pytest.raises(TypeError, match="can't convert non-string with explicit base"):
        ag.function(lambda n: int(n, 2))(9)
