"""Control flow, lists, state and structures of arguments and results, through onnxruntime."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from backends.support import required

import autograph_rs as ag
from autograph_rs.testing.harness import check_same

required("onnx")
required("onnxruntime")

from onnx_support import Exported  # noqa: E402

VECTOR, NUMBER, COUNT = ag.TensorSpec((None,)), ag.TensorSpec(()), ag.TensorSpec((), "int64")
V = np.array([1.0, -2.0, 3.5, 0.25])


def nested(x, n):
    total = 0.0
    for i in range(n):
        for v in x:
            if v < 0:
                continue
            if v > 3:
                break
            total += v * i
        while total > 10:
            total -= 7
    return total


def returns_early(x, limit):
    for i, v in enumerate(x):
        if v > limit:
            return i
    return -1


def collects(x, limit):
    kept, places = [], []
    for i, v in enumerate(x):
        if v > limit:
            kept.append((i, v))
            places.append(i)
    return kept, places, len(kept)


def pops(n):
    stack = [0]
    while n > 0:
        stack.append(n)
        n -= 1
    last = stack.pop()
    first = stack.pop(0)
    stack[0] = last + first
    stack += [7]
    return stack, stack[-1], stack[1:3], sorted(stack, reverse=True)


def unbound(x, limit):
    for v in x:
        if v > limit:
            found = v
    return found + 1


def on_both_paths(x):
    if x > 2:
        kind, y = 1, x * 2
    elif x > 0:
        kind, y = 2, x
    else:
        return 0.0, -1
    return y, kind


def iterates(xs, ys):
    total = 0.0
    for i, (x, y) in enumerate(zip(xs, reversed(ys), strict=False)):
        total += i * x - y
    for k in range(10, 0, -3):
        total += k
    return total


def rows(matrix):
    best, where = -np.inf, -1
    for i, row in enumerate(matrix):
        size = np.sqrt(row @ row)
        if size > best:
            best, where = size, i
    return best, where


def writes(x, n):
    y = x.copy()
    for i in range(n):
        y[i] = y[i - 1] + 1
        y[1:3] *= 2
    return y


def ragged(x, n):
    parts = [x[:i] for i in range(n)]
    return np.concatenate(parts), len(parts), parts[-1]


def comprehension(x):
    return [v * v for v in x if v > 0], sum(x), max(x), min(x)


def conditions(x, n):
    return (x > 0 and n > 1) or not n > 2, 1.0 if x > n else 2.0, 0 < x < 5


def newton(x):
    guess = x
    while abs(guess * guess - x) > 1e-12:
        guess = (guess + x / guess) / 2
    return guess


def integers(a, b):
    return a // b, a % b, a**2, -a // b, a << 2, a >> 1, a & b, ~a, abs(a)


def of_texts(n):
    name = "none"
    if n > 2:
        name = "many"
    elif n == 1:
        name = "one"
    return name, f"{n} is {name}", name == "one"


def peeled(x):
    best = None
    for v in x:
        if best is None or v > best:
            best = v
    return best


CASES: dict[str, tuple[Callable[..., Any], tuple[Any, ...], list[tuple[Any, ...]]]] = {
    f.__name__: (f, specs, [tuple(np.asarray(a) for a in args) for args in calls])
    for f, specs, calls in [
        (nested, (VECTOR, COUNT), [(V, 0), (V, 1), (V, 9), (V[:0], 3), (V[:2], 20)]),
        (returns_early, (VECTOR, NUMBER), [(V, 0.0), (V, 2.0), (V, 9.0), (V[:0], 0.0)]),
        (collects, (VECTOR, NUMBER), [(V, 0.0), (V, 9.0), (V[:0], 0.0), (V[:1], 0.5)]),
        (pops, (COUNT,), [(3,), (9,)]),
        (unbound, (VECTOR, NUMBER), [(V, 0.0), (V, 2.0)]),
        (on_both_paths, (NUMBER,), [(3.0,), (1.0,), (-1.0,)]),
        (iterates, (VECTOR, VECTOR), [(V, V), (V, V[:2]), (V[:0], V)]),
        (rows, (ag.TensorSpec((None, None)),), [(np.outer(V, V),), (np.ones((1, 3)),), (np.ones((0, 2)),)]),
        (writes, (VECTOR, COUNT), [(V, 0), (V, 4), (V[:3], 2)]),
        (ragged, (VECTOR, COUNT), [(V, 1), (V, 4)]),
        (comprehension, (VECTOR,), [(V,), (V[1:2],)]),
        (conditions, (NUMBER, COUNT), [(1.0, 2), (-1.0, 3), (7.0, 1)]),
        (newton, (NUMBER,), [(2.0,), (1e6,)]),
        (integers, (COUNT, COUNT), [(7, 2), (-7, 2), (7, -2), (-7, -3), (0, 5)]),
        (of_texts, (COUNT,), [(1,), (2,), (30,)]),
        (peeled, (VECTOR,), [(V,), (V[:1],)]),
    ]
}


@pytest.mark.parametrize("name", CASES)
def test_program(name: str) -> None:
    """One model gives for all arguments what the embedded graph gives."""
    function, specs, calls = CASES[name]
    concrete = ag.function(function).get_concrete_function(*specs)
    model = Exported(concrete)
    for args in calls:
        check_same(model(*args), concrete(*args), f"{name}{args}", exact=False)


@pytest.mark.parametrize(
    ("function", "specs", "args", "message"),
    [
        (unbound, (VECTOR, NUMBER), (V, 9.0), "UnboundLocalError: cannot access local variable 'found'"),
        (ragged, (VECTOR, COUNT), (V, 0), "Must have 1 or more inputs"),
        (comprehension, (VECTOR,), (V[:0],), "ValueError: max() iterable argument is empty"),
        (pops, (COUNT,), (0,), "indices element out of data bounds"),
        (lambda n: 7 // int(n), (COUNT,), (0,), "ZeroDivisionError"),
        (lambda x, n: x[n], (VECTOR, COUNT), (V, 9), "out of data bounds"),
        (lambda x: int(x) + 1, (NUMBER,), (np.nan,), "ValueError: cannot convert float NaN"),
        (lambda x, m: x[m], (VECTOR, ag.TensorSpec((None,), bool)), (V, V[:2] > 0), "IndexError: boolean"),
    ],
)  # fmt: skip
def test_what_raises_fails(function: Any, specs: Any, args: Any, message: str) -> None:
    """A model stops where the program raises, and the error names what and where."""
    concrete = ag.function(function).get_concrete_function(*specs)
    with pytest.raises(Exception):  # noqa: B017, PT011 - Python's own, each another
        concrete(*args)
    with pytest.raises(Exception, match=r"ONNXRuntimeError") as caught:
        Exported(concrete)(*args)
    assert message in str(caught.value)
    assert f"({Path(__file__).name}:" in str(caught.value)


def test_an_assert_that_holds_is_silent_and_one_that_fails_names_its_line() -> None:
    def checked(x):
        assert x > 0, "positive numbers only"
        if x > 10:
            raise ValueError("too large")
        return x * 2

    model = Exported(ag.function(checked).get_concrete_function(NUMBER))
    assert model(np.float64(2)) == 4
    line = checked.__code__.co_firstlineno
    for x, kind, at in (
        (-1.0, "AssertionError: positive numbers only", 1),
        (11.0, "ValueError: too large", 3),
    ):
        with pytest.raises(Exception, match=kind) as caught:
            model(np.float64(x))
        assert f"({Path(__file__).name}:{line + at})" in str(caught.value)


@pytest.mark.parametrize(
    ("function", "small", "large"),
    [
        (lambda n: int(n) + 2**62, 5, 2**62),
        (lambda n: -int(n) - 2**62, 5, 2**62 + 1),
        (lambda n: int(n) * 2**60, 7, 8),
        (lambda n: int(n) ** 9, 127, 128),
        (lambda n: int(n) << 60, 7, 8),
        (lambda n: sum([int(n), int(n)]), 2**61, 2**62),
        (lambda n: -int(n), 1 - 2**63, -(2**63)),
        (lambda n: abs(int(n)), 1 - 2**63, -(2**63)),
        (lambda n: int(n) // -1, 1 - 2**63, -(2**63)),
    ],
)
def test_python_ints_have_64_bits(function: Any, small: int, large: int) -> None:
    """One that would need more makes the run fail; nothing wraps."""
    concrete = ag.function(function).get_concrete_function(COUNT)
    model = Exported(concrete)
    check_same(model(np.int64(small)), concrete(np.int64(small)), "small", exact=True)
    assert abs(concrete(np.int64(large))) >= 2**63
    with pytest.raises(Exception, match="OverflowError: a"):
        model(np.int64(large))


def as_int(n):
    return int(n)


@pytest.mark.parametrize("function", [as_int, lambda n: n.item(), lambda n: n.reshape(1).tolist()])
def test_large_unsigned_numbers_as_ints(function: Any) -> None:
    concrete = ag.function(function).get_concrete_function(ag.TensorSpec((), "uint64"))
    model = Exported(concrete)
    check_same(model(np.uint64(2**63 - 1)), concrete(np.uint64(2**63 - 1)), "small", exact=True)
    with pytest.raises(Exception, match="OverflowError: a Python int needs more than 64 bits"):
        model(np.uint64(2**63))


def test_structures_have_names() -> None:
    """Arguments and results of several parts: each has the name of its place."""

    @ag.function
    def scaled(state, by):
        pair, numbers = state["pair"], state["numbers"]
        return {"sum": pair[0] + pair[1], "parts": [numbers * by, (by, None)], "three": 3}

    spec = {"pair": (VECTOR, VECTOR), "numbers": ag.TensorSpec((2, None), "float32")}
    concrete = scaled.get_concrete_function(spec, NUMBER)
    model = Exported(concrete)
    state = {"pair": (V, V * 2), "numbers": np.ones((2, 5), np.float32)}
    check_same(model(state, np.float64(3)), concrete(state, np.float64(3)), "scaled", exact=False)
    inputs = {i.name: (i.type, i.shape) for i in model.session.get_inputs()}
    assert inputs == {
        "state.pair.0": ("tensor(double)", ["state.pair.0.0"]),
        "state.pair.1": ("tensor(double)", ["state.pair.1.0"]),
        "state.numbers": ("tensor(float)", [2, "state.numbers.1"]),
        "by": ("tensor(double)", []),
    }
    assert list(model.named) == ["sum", "parts.0", "parts.1.0", "three"]


def test_names_that_operators_have_too() -> None:
    """Inputs and outputs keep their names; intermediate values get others."""

    @ag.function
    def f(constant, max):  # noqa: A002
        return {"add": constant + 1, "mul": max * 2, "max": [(v, v) for v in max]}

    model = Exported(f.get_concrete_function(NUMBER, VECTOR))
    assert [i.name for i in model.session.get_inputs()] == ["constant", "max"]
    model(np.float64(1), V)
    assert list(model.named) == ["add", "mul", "max_1.0", "max_1.1"]


def test_a_list_of_tuples_is_a_tensor_for_each_place() -> None:
    model = Exported(ag.function(collects).get_concrete_function(VECTOR, NUMBER))
    model(V, np.float64(0))
    assert list(model.named) == ["output_0.0", "output_0.1", "output_1", "output_2"]
    np.testing.assert_array_equal(model.named["output_0.1"], [1.0, 3.5, 0.25])


def test_an_argument_that_is_written_is_an_output() -> None:
    def doubled(x, y):
        x *= 2
        return y + 1

    concrete = ag.function(doubled).get_concrete_function(VECTOR, NUMBER)
    model = Exported(concrete)
    x, other = V.copy(), V.copy()
    assert model(x, np.float64(1)) == concrete(other, np.float64(1)) == 2
    np.testing.assert_array_equal(x, other)
    assert list(model.named) == ["output_0", "x.new"]


class Counter:
    def __init__(self) -> None:
        self.weights = ag.Variable(np.array([1.0, 2.0]), name="weights")
        self.calls = ag.Variable(0, name="calls")

    @ag.function
    def read(self, x):
        return self.weights * x

    @ag.function
    def step(self, x):
        if x > 0:
            self.weights.assign_add([x, x])
        self.calls.assign_add(1)
        return self.weights.read_value().sum()


def test_variables_are_constants() -> None:
    """They have the values of when the model was written."""
    counter = Counter()
    concrete = counter.read.get_concrete_function(NUMBER)
    model = Exported(concrete)
    counter.weights.assign([0.0, 0.0])
    assert [i.name for i in model.session.get_inputs()] == ["x"]
    np.testing.assert_array_equal(model.run(np.array(3.0)), [3.0, 6.0])


def test_variables_are_inputs_and_outputs() -> None:
    """Explicit state goes around the model: what comes out is put in again."""
    counter = Counter()
    concrete = counter.step.get_concrete_function(NUMBER)
    model = Exported(concrete, explicit=True)
    names = [i.name for i in model.session.get_inputs()]
    assert sorted(names) == ["calls", "weights", "x"]
    state = {"weights": np.array([1.0, 2.0]), "calls": np.array(0)}
    for x in (1.0, -5.0, 2.5):
        feeds = {"x": np.array(x), **state}
        outputs = [o.name for o in model.session.get_outputs()]
        made = dict(zip(outputs, model.session.run(None, feeds), strict=True))
        assert made["output_0"] == concrete(np.float64(x))
        state = {name: made[f"{name}.new"] for name in state}
        np.testing.assert_array_equal(state["weights"], counter.weights.read_value())
    assert state["calls"] == 3
