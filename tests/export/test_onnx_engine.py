"""`ag.function(f, engine="onnxruntime")`: NumPy's arrays in and out, run by onnxruntime."""

from __future__ import annotations

import copy
import math
import sys
import traceback
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from backends.support import required
from engine_support import same

import autograph_rs as ag

required("onnx")
required("onnxruntime")

XS = np.array([3.0, -1.0, 2.0, -5.0, 0.5])
ROWS = np.arange(6.0).reshape(2, 3)


def many_types(x, n):
    return (
        x, x[:2], x.sum(), np.array(x[0]), np.asarray(n), len(x), n > 1, int(n), float(x[0]),
        x.astype("float32"), np.zeros(()), n, bool(x[1] > 0), None, "plain", {"a": x * 2, "b": (n, [x])},
    )  # fmt: skip


def branch(x, n):
    if n > 1:
        y = x * 2
    elif n == 1:
        y = x - 1
    else:
        y = -x
    return y


def early(x, n):
    if x[0] > n:
        return x.max()
    return x.min()


def halved(x, n):
    rounds = 0
    while np.abs(x).max() > 0.1:
        x = x / 2
        rounds += 1
    return x, rounds


def broken_off(x, n):
    total = 0.0
    for v in x:
        if v < -n:
            break
        if v < 0:
            continue
        total += v
    return total


def nested_loops(x, n):
    total = 0
    for i in range(n):
        for j in range(i):
            total += i * j
    return total


def numbers(x, n):
    found = []
    for v in x:
        if v > 0:
            found.append(v)
    return found


def pairs(x, n):
    found = []
    for i, v in enumerate(x):
        if v > 0:
            found.append((i, v, v > 1))
    return found, len(found)


def pieces(x, n):
    found = []
    for i in range(n):
        found.append(x[: i + 1])
    return found


def vectors(x, n):
    found = []
    for i in range(n):
        found.append(x * i)
    return found, np.array(found)


def taken_back(x, n):
    stack = [x[0], x[1], x[2]]
    stack.append(x[3])
    last = stack.pop()
    stack[0] = last
    return stack, last, len(stack)


def nothing_in_it(x, n):
    found = []
    return found, []


def in_place(x, n):
    x[0] = 9
    x += n
    return x


def in_place_on_a_path(x, n):
    if n > 1:
        x[1:] *= 2
    return x.sum()


def settled(x, n):
    zero = np.zeros(())
    if n > 1:
        zero[()] = x[0]
    return zero, np.where(n > 1, x[0], 0.0), x.reshape(-1, 1)[0], np.mean(x, keepdims=True)


def masked(x, n):
    return x[x > 0], np.sort(x)[::-1], np.argsort(x), np.cumsum(x), np.where(x > n, x, 0)


def integers(x, n):
    k = x.astype(int)
    return k // 2, k % 3, k.astype("uint8"), k**2, k & 3, k == n


def floats(x, n):
    return np.exp(x), np.tanh(x), np.sqrt(np.abs(x)), x.std(), np.round(x), x.astype("float16")


def products(x, n):
    return np.outer(x, x) @ x, np.dot(x, x), x[None] @ x[:, None]


def texts(x, n):
    return "long" if n > 2 else "short"


def conditional(x, n):
    return (x[0] if n > 1 else x[1]) > 0 and n < 9


def shapes(x, n):
    return x.shape, x.size, np.concatenate([x, x]), np.stack([x, x]), x.reshape(1, -1)


def same_twice(x, n):
    y = x + n
    return y, y, x + n


FUNCTIONS = [
    many_types, branch, early, halved, broken_off, nested_loops, numbers, pairs, pieces, vectors, taken_back,
    nothing_in_it, in_place, in_place_on_a_path, settled, masked, integers, floats, products, texts,
    conditional, shapes, same_twice,
]  # fmt: skip


@pytest.mark.parametrize("function", FUNCTIONS)
def test_values(function: Callable[..., Any]) -> None:
    """Values, types and what is written are those of the NumPy engine."""
    by_onnx, by_numpy = ag.function(function, engine="onnxruntime"), ag.function(function)
    for x in (XS, np.repeat(XS, 2)[::2]):
        for n in (np.int64(1), np.int64(3), np.array(2)):
            mine, theirs = copy.deepcopy((x, n)), copy.deepcopy((x, n))
            same(by_onnx(*mine), by_numpy(*theirs))
            same(mine, theirs)


@pytest.mark.parametrize("function", [numbers, pairs, pieces, broken_off, masked, shapes])
def test_open_lengths(function: Callable[..., Any]) -> None:
    """One trace, and one model, for arrays of several lengths."""
    signature = [ag.TensorSpec((None,)), ag.TensorSpec((), "int64")]
    by_onnx = ag.function(function, input_signature=signature, engine="onnxruntime")
    by_numpy = ag.function(function, input_signature=signature)
    for length in (5, 1, 3, 0):
        same(by_onnx(XS[:length], np.int64(1)), by_numpy(XS[:length], np.int64(1)))


def test_arrays_as_they_come() -> None:
    """An argument comes back as itself; strided, transposed and read-only ones are taken, and text."""
    double = ag.function(lambda x: (x, x * 2), engine="onnxruntime")
    fixed = XS.copy()
    fixed.flags.writeable = False
    for x in (XS, XS[::-2], ROWS.T, np.asfortranarray(ROWS), fixed, np.zeros((0, 3)), np.float32(2)):
        given, made = double(x)
        assert given is x
        same(made, x * 2)
    assert double(XS)[1].flags.writeable
    same(
        ag.function(lambda t: (t == "b", t), engine="onnxruntime")(np.array(["a", "b"]))[0],
        np.array([False, True]),
    )


def test_variables() -> None:
    """They are read and written at each call, and keep what others write."""
    total, seen = ag.Variable(1.0), ag.Variable(np.zeros(3))

    @ag.function(engine="onnxruntime")
    def add(x):
        total.assign_add(x.sum())
        if total > 5:
            seen.assign(seen + x)
        return total.value * 2

    x = np.ones(3)
    assert [float(add(x)) for _ in range(2)] == [8, 14]
    total.assign(0.0)
    assert float(add(x)) == 6
    assert float(total.value) == 3
    np.testing.assert_array_equal(seen.value, [1, 1, 1])


def test_what_is_changed_without_a_result() -> None:
    """A function that returns nothing writes arrays, and containers of its caller's."""

    @ag.function(engine="onnxruntime")
    def note(seen, x):
        seen.append(x.sum())
        x[0] = 7

    seen, x = [], XS.copy()
    note(seen, x)
    assert seen == [-0.5]
    assert x[0] == 7


def positive(x):
    if x < 0:
        raise LookupError("negative")
    return np.sqrt(x)


def asserted(x):
    for _ in range(3):
        x = x + 1
        assert x < 2, "too large"


def unbound(x):
    if x > 0:
        y = x
    return y


def first_of_two(x):
    values = np.arange(3)
    if x > 1:
        raise KeyError("first")
    return values[int(x) + 5]


def never(x):
    raise RuntimeError("always")


@pytest.mark.parametrize(
    ("function", "x", "kind", "text", "line"),
    [
        (positive, -1.0, LookupError, "^negative$", "raise LookupError"),
        (asserted, 1.0, AssertionError, "too large", "assert x < 2"),
        (unbound, -1.0, UnboundLocalError, "'y'", "return y"),
        (first_of_two, 2.0, KeyError, "first", "raise KeyError"),
        (first_of_two, 0.0, IndexError, "index 5 is out of bounds for axis 0 with size 3", "return values"),
        (never, 1.0, RuntimeError, "always", "raise RuntimeError"),
    ],
)
def test_errors_are_the_users(function: Any, x: float, kind: type, text: str, line: str) -> None:
    """An exception that a program raises keeps its type and text, and shows the user's line."""
    with pytest.raises(kind, match=text) as caught:
        ag.function(function, engine="onnxruntime")(np.float64(x))
    last = traceback.extract_tb(caught.tb)[-1]
    assert (last.filename, last.name) == (__file__, function.__name__)
    assert last.line.startswith(line)


def test_texts_that_are_computed() -> None:
    """The error says what is raised, and where; it has no text that is not the program's."""

    @ag.function(engine="onnxruntime")
    def checked(x):
        if x < 0:
            raise LookupError(f"{x} is negative")
        return x

    assert checked(np.float64(1)) == 1
    with pytest.raises(ag.AutographError, match="raises LookupError with a computed message") as caught:
        checked(np.float64(-1))
    assert caught.value.place.text.startswith("raise LookupError")


@pytest.mark.parametrize(
    ("function", "x", "text", "line"),
    [
        (
            lambda x: np.linalg.solve(x, x),
            ROWS[:, :2] + 1,
            "linalg.solve cannot be run by onnxruntime",
            "solve",
        ),
        (lambda x: x + 1j, XS, "complex128 cannot be run by onnxruntime", "1j"),
        (lambda x: x, XS + 1j, "argument of complex128 cannot be run by onnxruntime", None),
        (lambda x: (x, ag.print(x)), XS, "print cannot be run by onnxruntime", "ag.print"),
    ],
)
def test_no_silent_fall_back(function: Any, x: Any, text: str, line: str | None) -> None:
    """An op that ONNX cannot express raises on each call, with the op and the line."""
    made = ag.function(function, engine="onnxruntime")
    made.get_concrete_function(x)
    for _ in range(2):
        with pytest.raises(ag.SaveError, match=text) as caught:
            made(x)
        assert line is None or line in caught.value.place.text


@pytest.mark.parametrize("lacking", ["onnx", "onnxruntime"])
def test_without_a_framework(lacking: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The error says what to install."""
    monkeypatch.setitem(sys.modules, lacking, None)
    with pytest.raises(ag.MissingFrameworkError, match=f"engine='onnxruntime' needs {lacking},") as caught:
        ag.function(lambda x: x, engine="onnxruntime")
    assert "autograph_rs[onnx]" in caught.value.remedy


def of_items(items):
    return items[1] * items[2]


def test_gradients_and_copies() -> None:
    """`ag.grad` of a function of the engine; a function that is pickled keeps it."""
    square = ag.function(lambda x: np.sum(x * x), engine="onnxruntime")
    np.testing.assert_allclose(ag.grad(square)(XS), 2 * XS)
    x = np.array([math.inf, 1.0, 2.0, math.nan])
    product = ag.function(lambda x: of_items([v * 2 for v in x]), engine="onnxruntime")
    np.testing.assert_array_equal(ag.function(ag.grad(product), engine="onnxruntime")(x), [0, 8, 4, 0])
    kind, state = ag.function(settled, engine="onnxruntime").__reduce__()
    assert kind(*state).engine == "onnxruntime"


def test_methods() -> None:
    """A method keeps its engine, and each object has its own numbers."""

    class Scale:
        def __init__(self, by: float):
            self.by = by

        @ag.function(engine="onnxruntime")
        def __call__(self, x):
            return x * self.by

    np.testing.assert_array_equal(Scale(2.0)(XS), XS * 2)
    np.testing.assert_array_equal(Scale(3.0)(XS), XS * 3)
