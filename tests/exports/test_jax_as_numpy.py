"""Calls and programs that the engine "jax" runs as NumPy and Python do, to the type and the error."""

from __future__ import annotations

import math

import numpy as np
import pytest
from backends.support import required
from exports.engine_support import same

import autograph_rs as ag

jax = required("jax")

X = np.array([1.0, 2.0, 4.0, 3.0, 5.0])
MATRIX = np.arange(6.0).reshape(2, 3)
OPEN = (None, None)


def texts(x):
    word = "many" if x[0] > 2 else ""
    return len(word), 1 if word else 2, f"{word}{len(word)}"


CALLS = {
    "ravel by columns": (lambda x: np.ravel(x, order="F"), MATRIX),
    "method ravel by columns": (lambda x: x.ravel(order="F"), MATRIX),
    "reshape by columns": (lambda x: np.reshape(x, (3, 2), order="F"), MATRIX),
    "a copy": (lambda x: np.array(x, order="K"), MATRIX),
    "clip by name": (lambda x: np.clip(x, a_min=1, a_max=3), X),
    "clip from below": (lambda x: np.clip(x, 2.0, None), X),
    "a window from the end": (lambda x: x[(k := np.argmin(x) - 3) : k + 2], X),
    "a small window": (lambda x: x[(k := np.argmin(x)) : k + 2], X),
    "logarithm": (lambda x: math.log(x[2], 3), X),
    "rounded": (lambda x: round(x[0] * 2.5), X),
    "texts": (texts, X),
    "no text": (texts, X * 3),
    "bytes of floats": (lambda x: x.astype("uint8"), np.array([300.7, -2.5, 7.0])),
    "unsigned of floats": (lambda x: x.astype("uint32"), np.array([300.7, -2.5, 7.0])),
    "short of floats": (lambda x: x.astype("int16"), np.array([70000.0, -2.5, 7.0])),
    "an item as an array": (lambda x: x[np.argmax(x) - 3, ...], X),
    "powers that wrap": (lambda x: np.array([2, 3, -1, 5]) ** x, np.array([100, 101, 65, 4200])),
    "powers of bytes": (lambda x: x**x, np.array([3, 70, 101, 2], "int8")),
    "truth of complex numbers": (lambda x: (x.all(), np.any(x, axis=0), np.all(x * 0)), np.array([0.5j, 1])),
    "largest int": (lambda x: int(x[0]) + 0, np.array([2**63 - 2])),
}

RAISED = {
    "rounded NaN": (round, np.float64("nan")),
    "rounded infinity": (round, np.float64("inf")),
    "logarithm of a negative number": (lambda x: math.log(x, 3), np.float64(-1)),
    "logarithm to the base one": (lambda x: math.log(2.0, x), np.float64(1)),
}

TOO_LARGE = {
    "plus one": (lambda x: int(x) + 1, np.int64(2**63 - 1)),
    "negative": (lambda x: -int(x), np.int64(-(2**63))),
    "absolute": (lambda x: abs(int(x)), np.int64(-(2**63))),
    "divided": (lambda x: int(x) // -1, np.int64(-(2**63))),
    "unsigned": (int, np.uint64(2**63)),
    "item": (lambda x: x.item(), np.uint64(2**63)),
    "rounded": (round, np.float64(1e30)),
}

OUTSIDE = {
    "beside an index": lambda x, i: x[9, i],
    "a list beside an index": lambda x, i: x[[9], i],
    "below": lambda x, i: x[-4, i],
}


def wrapped(f):
    return lambda *args: f(*args)


@pytest.mark.parametrize("name", CALLS)
def test_calls(name):
    given, x = CALLS[name]
    spec = ag.TensorSpec((None,) * x.ndim, x.dtype)
    expected = ag.function(wrapped(given), input_signature=[spec])(x)
    same(ag.function(wrapped(given), input_signature=[spec], engine="jax")(x), expected)


@pytest.mark.parametrize("name", RAISED)
def test_errors(name):
    given, x = RAISED[name]
    with pytest.raises((ValueError, ArithmeticError)) as expected:
        ag.function(wrapped(given))(x)
    with pytest.raises(expected.type) as found:
        ag.function(wrapped(given), engine="jax")(x)
    assert str(found.value) == str(expected.value)


@pytest.mark.parametrize("name", TOO_LARGE)
def test_ints_of_64_bits(name):
    given, x = TOO_LARGE[name]
    assert ag.function(wrapped(given))(x) >= 2**63
    with pytest.raises(OverflowError, match="64 bits"):
        ag.function(wrapped(given), engine="jax")(x)


@pytest.mark.parametrize("name", OUTSIDE)
def test_indices_that_are_known(name):
    specs = [ag.TensorSpec(OPEN), ag.TensorSpec((), np.int64)]
    with pytest.raises(IndexError, match="is out of bounds for axis 0 with size 3"):
        ag.function(OUTSIDE[name], input_signature=specs, engine="jax")(np.eye(3), np.int64(1))


def test_writes_at_indices_that_are_known():
    @ag.function(input_signature=[ag.TensorSpec(OPEN), ag.TensorSpec((), np.int64)], engine="jax")
    def written(x, i):
        x[9, i] = 1.0
        return x

    with pytest.raises(IndexError, match="index 9 is out of bounds for axis 0 with size 3"):
        written(np.eye(3), np.int64(1))


def test_texts_that_grow_are_refused():
    @ag.function(engine="jax")
    def word(x):
        text = ""
        for v in x:
            text += "a" if v > 2 else "b"
        return text

    with pytest.raises(ag.MismatchError, match="no single type"):
        word(X)


def test_prints_come_once(capsys):
    """A program that has room for its list prints at once, whatever shapes others were compiled for."""

    @ag.function(input_signature=[ag.TensorSpec((None,)), ag.TensorSpec((), np.int64)], engine="jax")
    def listed(x, n):
        ag.print("start", n)
        found = []
        for v in x:
            while len(found) < n:
                found.append(v)
        return len(found)

    for length, n in ((1, 3), (0, 3), (1, 500)):
        listed(np.ones(length), np.int64(n))
    assert capsys.readouterr().out == "start 3\nstart 3\nstart 500\n"


@pytest.mark.parametrize("compiled", [False, True])
def test_what_raises_and_prints_under_vmap(compiled, capfd):
    def program(x):
        n = 0
        if x < 0:
            raise ValueError("negative")
        while x > 1:
            x = x / 2
            n += 1
            if n == 2:
                ag.print("two", n)
            assert n < 6, "long"
        return n

    run = jax.vmap(ag.function(program).get_concrete_function(np.float64(1)).to_jax())
    run = jax.jit(run) if compiled else run
    np.testing.assert_array_equal(run(np.array([0.5, 2.0, 9.0])), [0, 1, 4])
    jax.effects_barrier()
    assert capfd.readouterr().out == "two 2\n"
    for x, text in ((-1.0, "negative"), (1000.0, "long")):
        with pytest.raises(Exception, match=text):  # noqa: PT012 - it raises at the one or the other
            jax.block_until_ready(run(np.array([1.0, x])))
            jax.effects_barrier()


def test_python_numbers_for_variables():
    weight = ag.Variable(2.0)
    run = ag.function(lambda x: weight * x).get_concrete_function(np.float64(1)).to_jax(variables="explicit")
    assert run((3.0,), np.float64(2))[0] == 6.0
    with pytest.raises(ag.OptionError, match="not float64"):
        run((3,), np.float64(2))
