"""Errors of a `GradientTape` outside of any function, and the lines that they show."""

from __future__ import annotations

import math
import operator
import threading

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
    "float": (lambda x: math.exp(x[0]), "a recorded value to a Python float"),
    "array": (lambda x: np.array([x[0], x[1]]), "a recorded value to a plain NumPy array"),
    "plain target": (lambda x: written(np.zeros(2), x), "writes to a plain array"),
    "plain copyto": (lambda x: np.copyto(np.zeros(2), x), "copyto writes to a plain array"),
    "plain sum": (lambda x: np.sum(x, None, None, np.zeros(())), "sum writes to a plain array"),
    "plain cumsum": (lambda x: np.cumsum(x, 0, None, np.zeros(2)), "cumsum writes to a plain array"),
    "plain concatenate": (lambda x: np.concatenate([x, x], 0, np.zeros(4)), "concatenate writes to a plain"),
    "plain method": (lambda x: x.clip(0, 1, np.zeros(2)), "clip writes to a plain array"),
    "plain at": (lambda x: np.add.at(np.zeros(2), [0], x[0]), "add writes to a plain array"),
    "flat": (lambda x: x.flat[0] * x, "reads the attribute 'flat' of a recorded value"),
    "bytes": (lambda x: np.frombuffer(x.tobytes()) * x, "reads the attribute 'tobytes' of a recorded value"),
    "partition": (lambda x: x.partition(1), "reads the attribute 'partition' of a recorded value"),
    "objects": (lambda x: x.astype(object)[0] * x, "a recorded value to the dtype object"),
    "shape": (lambda x: setattr(x, "shape", (1, 2)), "the attribute 'shape' of a value"),
    "earlier tape": (lambda x: EARLIER.__setitem__(0, x[0]), "setitem writes to a value of another tape"),
    "in place on an earlier one": (lambda x: operator.iadd(EARLIER, x), "iadd writes to a value of another"),
    "histogram": (lambda x: np.histogram(x, 3, (0, 4), weights=x)[0] @ np.ones(3), "has no gradient"),
    "dict of a function": (lambda x: PUTS({}, x), "PUTS changes a list, dict or object among its arguments"),
    "plain array of a function": (lambda x: WRITES(np.zeros(2), x), "WRITES writes to a plain array"),
    "closed over": (lambda x: ag.function(lambda y: y * x)(x), "reads a value recorded by a GradientTape"),
    "held by an object": (lambda x: Model(x).scaled(2.0), "reads a value recorded by a GradientTape"),
    "effects": (lambda x: PRINTS(x), "the function has the side effect print"),
    "untaped target": (lambda x: x.numpy() * 2, "which it did not record"),
    "watch": (lambda x: slope(lambda y: y, 3), "cannot watch"),
}


@ag.function
def PRINTS(x):
    ag.print(x)
    return x


@ag.function
def PUTS(found, x):
    found["square"] = x * x
    return x


@ag.function
def WRITES(total, x):
    total[0] = x[0]
    return x


class Model:
    def __init__(self, scale):
        self.scale = scale

    @ag.function
    def scaled(self, x):
        return self.scale * x


with ag.GradientTape() as _tape:
    EARLIER = _tape.watch(np.ones(2))


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
    assert "a recorded value to a Python float" in str(raised.value.__cause__)


def test_values_of_another_tape_are_constants():
    with ag.GradientTape() as tape:
        x = tape.watch(2.0)
    with ag.GradientTape() as other:
        y = other.watch(3.0) * x
        with pytest.raises(ag.GradientError, match="did not record"):
            other.gradient(y, x)
    with pytest.raises(ag.GradientError, match="did not record"):
        tape.gradient(y, x)


def test_a_tape_of_another_place():
    with ag.GradientTape() as tape:
        x = tape.watch(2.0)
        y = x * x

    @ag.function
    def late():
        return tape.gradient(y, x)

    with pytest.raises(ag.StateError, match="are not in the same traced function"):
        late()


def test_an_error_in_the_block_ends_it():
    with pytest.raises(ZeroDivisionError), ag.GradientTape():
        _ = 1 // 0
    w = ag.Variable(1.0)
    assert type(w * 2) is np.float64


def test_errors_name_the_line_that_was_recorded():
    with ag.GradientTape() as tape:
        x = tape.watch(np.array([3.0, 1.0]))
        z = np.sum(np.histogram_bin_edges(x))  # the second
    with pytest.raises(ag.GradientError, match=r"(?s)histogram_bin_edges.*recorded here.*# the second"):
        tape.gradient(z, x)


@pytest.mark.parametrize("read", [np.asarray, np.array, float], ids=["asarray", "array", "float"])
def test_variables_do_not_become_plain(read):
    w = ag.Variable(3.0)
    with (
        ag.GradientTape(),
        pytest.raises(ag.GradientError, match="converts a recorded value to a "),
    ):
        read(w)
    assert read(w) == 3.0


def test_a_tape_in_its_own_block():
    w, tape = ag.Variable(3.0), ag.GradientTape()
    with tape:
        with pytest.raises(ag.StateError, match="cannot be entered again inside its own 'with' block"), tape:
            pass
        y = w * w
    assert tape.gradient(y, w) == 6.0


def test_a_tape_in_its_own_block_of_a_function():
    @ag.function
    def f(x):
        tape = ag.GradientTape()
        with tape, tape:
            return x

    with pytest.raises(ag.StateError, match="cannot be entered again inside its own 'with' block"):
        f(np.ones(2))


def test_after_the_block_a_value_is_plain():
    with ag.GradientTape() as tape:
        x = tape.watch(np.array([1.0, 2.0]))
    assert ag.function(lambda y: y * x)(np.ones(2)).tolist() == [1.0, 2.0]
    assert x.astype(object).tolist() == x.tolist() == [*x.flat] == [1.0, 2.0]
    assert math.exp(x[0]) == math.e


def test_other_threads_are_not_recorded():
    w, found = ag.Variable(3.0), []
    with ag.GradientTape() as tape:
        thread = threading.Thread(target=lambda: found.append(w * w))
        thread.start()
        thread.join()
        y = w * found[0]
    assert type(found[0]) is np.float64
    assert tape.gradient(y, w) == 9.0
