"""What a `GradientTape` outside of any function refuses, and where its errors point."""

from __future__ import annotations

import math

import numpy as np
import pytest

import autograph_rs as ag


def slope(f, *values):
    """The gradients of `f` by a tape outside."""
    with ag.GradientTape() as tape:
        watched = [tape.watch(value) for value in values]
        y = f(*watched)
    return tape.gradient(y, watched)


REFUSED = {
    "float": (lambda x: math.exp(x[0]), "becomes a Python float"),
    "array": (lambda x: np.array([x[0], x[1]]), "becomes a plain NumPy array"),
    "plain target": (lambda x: written(np.zeros(2), x), "writes to a plain array"),
    "plain copyto": (lambda x: np.copyto(np.zeros(2), x), "copyto writes to a plain array"),
    "plain at": (lambda x: np.add.at(np.zeros(2), [0], x[0]), "add writes to a plain array"),
    "effects": (lambda x: PRINTS(x), "it has effects: print"),
    "untaped target": (lambda x: x.numpy() * 2, "which the tape does not know"),
    "watch": (lambda x: slope(lambda y: y, 3), "is to watch"),
}


@ag.function
def PRINTS(x):
    ag.print(x)
    return x


def written(total, x):
    total += x
    return total


@pytest.mark.parametrize("name", REFUSED)
def test_what_would_be_lost_is_refused(name, capsys):
    f, message = REFUSED[name]
    with pytest.raises(ag.GradientError, match=message):
        slope(f, np.array([1.0, 2.0]))


def test_items_of_plain_arrays():
    """NumPy makes an error of its own of ours."""
    total = np.zeros(2)
    with ag.GradientTape() as tape, pytest.raises(ValueError, match="array element") as raised:
        total[0] = tape.watch(np.ones(2))[0]
    assert "becomes a Python float" in str(raised.value.__cause__)


def test_values_of_another_tape_are_constants():
    with ag.GradientTape() as tape:
        x = tape.watch(2.0)
    with ag.GradientTape() as other:
        y = other.watch(3.0) * x
        with pytest.raises(ag.GradientError, match="does not know"):
            other.gradient(y, x)
    with pytest.raises(ag.GradientError, match="does not know"):
        tape.gradient(y, x)


def test_a_tape_of_another_place():
    with ag.GradientTape() as tape:
        x = tape.watch(2.0)
        y = x * x

    @ag.function
    def late():
        return tape.gradient(y, x)

    with pytest.raises(ag.StateError, match="asked in a function"):
        late()


def test_an_error_in_the_block_ends_it():
    with pytest.raises(ZeroDivisionError), ag.GradientTape():
        _ = 1 // 0
    w = ag.Variable(1.0)
    assert type(w * 2) is np.float64


def test_errors_name_the_line_that_was_recorded():
    with ag.GradientTape() as tape:
        x = tape.watch(np.array([3.0, 1.0]))
        y = x.copy()
        np.copyto(y, x)  # the first
    with pytest.raises(ag.UnsupportedFunctionError, match=r"(?s)copyto.*recorded here.*# the first"):
        tape.gradient(y, x)
    with ag.GradientTape() as tape:
        x = tape.watch(np.array([3.0, 1.0]))
        z = np.sum(np.nanmedian(x))  # the second
    with pytest.raises(ag.GradientError, match=r"(?s)nanmedian.*recorded here.*# the second"):
        tape.gradient(z, x)
