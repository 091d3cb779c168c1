"""`ag.function(f, engine="jax")`: NumPy's arrays in and out, run by XLA."""

from __future__ import annotations

import math
import sys
import traceback
from typing import Any

import numpy as np
import pytest
from backends.support import required
from engine_support import same

import autograph_rs as ag

XS = np.array([3.0, -1.0, 2.0, -5.0, 0.5])


def many_types(x, n):
    grown = []
    for i in range(n):
        if x[i] > 0:
            grown.append((i, x[i]))
    word = "long" if n > 2 else f"short {x[0]!r}"
    return (
        x, x[:2], x.sum(), np.array(x[0]), np.asarray(n), len(x), n > 1, int(n), float(x[0]), word, grown,
        x.astype("float32"), np.zeros(()), x, n, bool(x[1] > 0), f"{x[1]:.1f} {len(grown)}",
    )  # fmt: skip


def settled(x, n):
    zero = np.zeros(())
    if n > 1:
        zero[()] = x[0]
    return zero, np.where(n > 1, x[0], 0.0), x.reshape(5, 1)[0], np.mean(x, keepdims=True)


@pytest.mark.parametrize("function", [many_types, settled])
@pytest.mark.parametrize("n", [np.int64(1), np.int64(3), np.array(2)])
def test_types(function: Any, n: Any) -> None:
    """The results have the types that the NumPy engine gives them; arguments come back as themselves."""
    required("jax")
    by_jax, by_numpy = ag.function(function, engine="jax"), ag.function(function)
    same(by_jax(XS, n), by_numpy(XS, n))
    if function is many_types:
        result = by_jax(XS, n)
        assert result[0] is XS
        assert result[13] is XS
        assert result[1].flags.writeable


def test_64_bits_by_itself() -> None:
    """The engine needs no setting of JAX, and changes none."""
    jax = required("jax")
    with jax.enable_x64(False):
        result = ag.function(lambda x: x / 3, engine="jax")(XS)
        assert jax.config.jax_enable_x64 is False
    assert result.dtype == "float64"
    np.testing.assert_allclose(result, XS / 3, rtol=1e-15)


def test_variables_and_written_arguments() -> None:
    """They are read and written as they are by NumPy."""
    required("jax")
    total = ag.Variable(1.0)

    @ag.function(engine="jax")
    def add(x):
        total.assign_add(x.sum())
        x[0] = 9
        return total.value * 2, x

    x = np.ones(3)
    result, back = add(x)
    assert (float(result), float(total.value), x[0]) == (8, 4, 9)
    assert back is x
    add(x)
    assert float(total.value) == 15


def test_containers_that_are_changed() -> None:
    """A list among the arguments is the caller's own."""
    required("jax")

    @ag.function(engine="jax")
    def note(seen, x):
        seen.append(x * 2)

    seen: list[Any] = []
    note(seen, np.float64(2))
    assert seen == [4.0]


def test_errors_are_the_users() -> None:
    """What a program raises has its own type and text, and the user's line; nothing is written then."""
    required("jax")
    total = ag.Variable(0.0)

    @ag.function(engine="jax")
    def checked(x):
        total.assign_add(1.0)
        if x < 0:
            raise LookupError(f"{x!r} is negative")
        return np.sqrt(x)

    assert checked(np.float64(4)) == 2
    with pytest.raises(LookupError, match=r"np.float64\(-1.0\) is negative") as caught:
        checked(np.float64(-1))
    last = traceback.extract_tb(caught.tb)[-1]
    assert (last.filename, last.name) == (__file__, "checked")
    assert last.line.startswith("raise LookupError")
    assert float(total.value) == 1


@pytest.mark.parametrize(
    ("function", "arguments", "kind", "text"),
    [
        (lambda x, i: x[i], (XS, np.int64(7)), IndexError, "index 7 is out of bounds for axis 0 with size 5"),
        (lambda x, i: x[i], (XS, np.int64(-6)), IndexError, "index -6 is out of bounds"),
        (lambda x, i: x.reshape(5, 1)[..., i], (XS, np.int64(1)), IndexError, "out of bounds for axis 1"),
        (lambda x, i: [1.0, 2.0][i], (XS, np.int64(2)), IndexError, "list index out of range"),
        (lambda x, i: 1 // int(i), (XS, np.int64(0)), ZeroDivisionError, "by zero"),
        (lambda x, i: math.sqrt(float(x[i])), (XS, np.int64(1)), ValueError, "math domain|nonnegative"),
        (lambda x, i: math.exp(float(x[0]) * i), (XS, np.int64(999)), OverflowError, "range|overflow"),
        (lambda x, i: np.array([2, 3]) ** i, (XS, np.int64(-1)), ValueError, "negative integer powers"),
        (lambda x, i: 2 ** int(i), (XS, np.int64(-1)), ag.UnsupportedFunctionError, "operation pow"),
        (lambda x, i: max(x[:0]), (XS, np.int64(0)), ValueError, "empty"),
        (lambda x, y: x + y, (XS, np.ones(3)), ValueError, "could not be broadcast"),
    ],
)
def test_what_python_raises(function: Any, arguments: Any, kind: type, text: str) -> None:
    """Indices, divisors and shapes are looked at, as in NumPy."""
    required("jax")
    with pytest.raises(kind, match=text):
        ag.function(function, input_signature=None, engine="jax")(*arguments)


def test_prints_in_order(capsys: pytest.CaptureFixture[str]) -> None:
    """What a program prints, up to the error that it raises."""
    required("jax")

    @ag.function(engine="jax")
    def told(n):
        for i in range(n):
            print("round", i)
            if i == 3:
                raise ValueError("three")
        print("done", f"{n:>3}")

    told(np.int64(2))
    assert capsys.readouterr().out == "round 0\nround 1\ndone   2\n"
    with pytest.raises(ValueError, match="three"):
        told(np.int64(9))
    assert capsys.readouterr().out == "round 0\nround 1\nround 2\nround 3\n"


def test_lists_of_any_length(capsys: pytest.CaptureFixture[str]) -> None:
    """A program whose lists outgrow their room is run again with more, and prints once."""
    required("jax")

    @ag.function(engine="jax")
    def counted(n):
        print("to", n)
        found = []
        k = 0
        while k < n:
            found.append(k * k)
            k += 1
        return found

    assert counted(np.int64(1000)) == [k * k for k in range(1000)]
    assert counted(np.int64(0)) == []
    assert capsys.readouterr().out == "to 1000\nto 0\n"


def test_no_silent_fall_back() -> None:
    """What JAX cannot say raises at the first call, and names the op and the line."""
    required("jax")

    @ag.function(engine="jax")
    def drawn(x):
        return x + np.random.default_rng(0).random()

    with pytest.raises(ag.UnsupportedFunctionError, match="the operation default_rng") as caught:
        drawn(np.float64(1))
    assert caught.value.place.text.startswith("return x + np.random")


def test_gradients() -> None:
    """`ag.grad` of a function of the engine."""
    required("jax")
    square = ag.function(lambda x: np.sum(x * x), engine="jax")
    np.testing.assert_allclose(ag.grad(square)(XS), 2 * XS)


def test_unknown_engines() -> None:
    """The names that there are stand in the error; options of the graph do not go with a backend."""
    with pytest.raises(ag.OptionError, match="there is no engine 'abacus'") as caught:
        ag.function(lambda x: x, engine="abacus")
    assert "'numpy', 'jax', 'onnxruntime'" in str(caught.value)
    with pytest.raises(ag.ArgumentError, match="engine= is a name"):
        ag.function(lambda x: x, engine=None)
    with pytest.raises(ag.OptionError, match="do not go with backend="):
        ag.function(lambda x: x, engine="jax", backend="jax")


def test_without_jax(monkeypatch: pytest.MonkeyPatch) -> None:
    """The error says what to install."""
    monkeypatch.setitem(sys.modules, "jax", None)
    with pytest.raises(ag.MissingFrameworkError, match="engine='jax' needs jax") as caught:
        ag.function(lambda x: x, engine="jax")
    assert "autograph_rs[jax]" in caught.value.remedy
    concrete = ag.function(lambda x: x + 1).get_concrete_function(np.float64(1))
    with pytest.raises(ag.MissingFrameworkError, match=r"to_jax\(\) needs jax"):
        concrete.to_jax()


def test_methods_and_copies() -> None:
    """A method keeps its engine, and so does a function that is pickled by value."""
    required("jax")

    class Scale:
        def __init__(self, by: float):
            self.by = by

        @ag.function(engine="jax")
        def __call__(self, x):
            return x * self.by

    np.testing.assert_array_equal(Scale(2.0)(XS), XS * 2)
    np.testing.assert_array_equal(Scale(3.0)(XS), XS * 3)
    kind, state = ag.function(settled, engine="jax").__reduce__()
    assert kind(*state).engine == "jax"
