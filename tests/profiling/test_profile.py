"""`profile`: counts, results, effects and errors, and what can be profiled."""

from __future__ import annotations

import math
import traceback
import warnings

import numpy as np
import pytest
from backends.support import required
from profiled_helpers import normalised, runs_of

import autograph_rs as ag

# --- Results and counts ------------------------------------------------------------------------------


def smooth(x, n):
    total = 0.0
    for i in range(n):
        x = np.tanh(normalised(x)) + i
        if np.sum(x) > 3:
            total = total + np.max(x) * 2 - 1
    return {"x": x, "total": total}


def scalar_loops(xs, n):
    best = 0.0
    count = 0
    for i in range(n):
        total = 0.0
        for j in range(i):
            total = total + abs(xs[i] - xs[j]) ** 0.5
            count = count + 1
        if total > best:
            best = total
    return best, count


def in_one_expression(x, y):
    a = x * 2.0
    b = a + y
    c = b * b - a
    return c / (1.0 + b)


CALLS = [
    (smooth, (np.linspace(0, 1, 7), np.int64(5))),
    (scalar_loops, (np.linspace(0, 1, 30) ** 2, np.int64(30))),
    (in_one_expression, (np.float64(3), np.float64(4))),
]


def same(one, other) -> bool:
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(same(one[k], other[k]) for k in one)
    if isinstance(one, tuple):
        return len(one) == len(other) and all(map(same, one, other))
    return type(one) is type(other) and np.array_equal(one, other)


@pytest.mark.parametrize(("f", "args"), CALLS, ids=[f.__name__ for f, _ in CALLS])
@pytest.mark.parametrize("engine", ["numpy", "native"])
def test_result_and_lines(f, args, engine: str) -> None:
    """The result is that of the call, the shares add up, and every line is one of the functions'."""
    if engine == "native":
        required("llvmlite")
    staged = ag.function(f, engine=engine)
    report = ag.profile(staged, *args)
    assert same(report.result, staged(*args))
    assert math.isclose(sum(line.share for line in report.lines), 1.0)
    times = [line.seconds for line in report.lines]
    assert times == sorted(times, reverse=True)
    assert {line.file for line in report.lines} <= {__file__, normalised.__code__.co_filename}
    assert all(line.seconds >= 0 for line in report.lines)


@pytest.mark.parametrize("engine", ["numpy", "native"])
def test_counts_are_those_of_the_lines(engine: str) -> None:
    """Loops in machine code count as those in Python do."""
    if engine == "native":
        required("llvmlite")
    report = ag.profile(ag.function(scalar_loops, engine=engine), np.linspace(0, 1, 30) ** 2, np.int64(30))
    counts = runs_of(report)
    assert counts["total = total + abs(xs[i] - xs[j]) ** 0.5"] == 30 * 29 // 2
    assert counts["for i in range(n):"] == 31
    assert counts["for j in range(i):"] == 30 * 29 // 2 + 30
    assert counts["if total > best:"] == 30
    where = {line.text: line.where for line in report.lines}
    kind = "native" if engine == "native" else "Python"
    assert where["total = total + abs(xs[i] - xs[j]) ** 0.5"] == kind


def test_scalar_lines_are_timed_apart() -> None:
    """The compiled code nests expressions of several lines in one; the profile does not."""
    report = ag.profile(in_one_expression, np.float64(3), np.float64(4))
    assert runs_of(report) == dict.fromkeys(
        ["a = x * 2.0", "b = a + y", "c = b * b - a", "return c / (1.0 + b)"], 1
    )


def test_chains_are_machine_code() -> None:
    required("llvmlite")

    def f(x, y):
        a = x * x
        b = a + y
        return np.sqrt(b)

    x = np.linspace(0, 1, 100_000)
    report = ag.profile(ag.function(f, engine="native"), x, x)
    assert {line.text: line.where for line in report.lines} == dict.fromkeys(
        ["a = x * x", "b = a + y", "return np.sqrt(b)"], "native"
    )
    assert np.array_equal(report.result, f(x, x))


def test_hot_loops_are_compiled_first() -> None:
    required("llvmlite")
    report = ag.profile(scalar_loops, np.linspace(0, 1, 300), np.int64(300))
    where = {line.text: line.where for line in report.lines}
    assert where["total = total + abs(xs[i] - xs[j]) ** 0.5"] == "native"
    assert any(line.startswith("  ~") for line in str(report).split("\n"))


def test_nothing_is_staged() -> None:
    report = ag.profile(lambda x: x + 1, 3)
    assert (report.lines, report.result) == ((), 4)
    assert "the graph computes nothing" in str(report)


# --- Effects -----------------------------------------------------------------------------------------


def test_arguments_and_variables_are_written_once() -> None:
    total = ag.Variable(1.0)

    def f(x, box):
        total.assign_add(2.0)
        x += 1
        box["sum"] = x.sum()
        return x

    staged, x, box = ag.function(f), np.zeros(3), {}
    report = ag.profile(staged, x, box)
    assert report.repetitions > 1
    assert total.value == 3.0
    assert x.tolist() == [1.0, 1.0, 1.0]
    assert box == {"sum": 3.0}
    assert report.result is x
    staged(x, box)
    assert (total.value, x.tolist()) == (5.0, [2.0, 2.0, 2.0])


def test_what_is_printed_is_printed_once(capsys: pytest.CaptureFixture[str]) -> None:
    def f(x):
        print("x is", x)
        return x * 2

    report = ag.profile(f, np.float64(3))
    assert capsys.readouterr().out == "x is 3.0\n"
    assert (report.result, report.repetitions) == (6.0, 1)


def test_random_numbers_are_drawn_once() -> None:
    def f(n):
        total = 0.0
        for _ in range(n):
            total = total + np.random.random()
        return total

    np.random.seed(0)
    first, after = ag.profile(f, np.int64(20)).result, np.random.random()
    np.random.seed(0)
    assert (first, after) == (f(20), np.random.random())


def test_a_dataset_is_read_once() -> None:
    began = []

    def source():
        began.append(1)
        yield from np.arange(4.0)

    def f(data):
        total = np.float64(0)
        for x in data:
            total = total + x
        return total

    staged = ag.function(f)
    data = ag.data.from_iterable(source)
    staged.get_concrete_function(data)
    began.clear()
    assert ag.profile(staged, data).result == 6.0
    assert began == [1]


def test_warnings_are_those_of_one_call() -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        ag.profile(lambda x: np.log(x), np.array([-1.0]))
    assert [str(warning.message) for warning in caught] == ["invalid value encountered in log"]


# --- What can be profiled ----------------------------------------------------------------------------


class Model:
    def __init__(self) -> None:
        self.weight = ag.Variable(np.ones(3))

    @ag.function
    def step(self, x):
        self.weight.assign_add(x)
        return self.weight.sum()


def test_methods_and_tracing() -> None:
    """`tracing_seconds` is set by the call that traces, and by no other."""
    model = Model()
    first, second = ag.profile(model.step, np.ones(3)), ag.profile(model.step, np.ones(3))
    assert first.tracing_seconds is not None
    assert second.tracing_seconds is None
    assert (first.result, second.result) == (6.0, 9.0)
    assert runs_of(first) == {"self.weight.assign_add(x)": 1, "return self.weight.sum()": 1}


def test_concrete_and_loaded_functions(tmp_path) -> None:
    concrete = ag.function(scalar_loops).get_concrete_function(ag.TensorSpec((None,)), np.int64(3))
    ag.save(concrete, tmp_path / "f.json")
    args = np.linspace(0, 1, 10), np.int64(10)
    for f in (concrete, ag.load(tmp_path / "f.json")):
        report = ag.profile(f, *args)
        assert report.tracing_seconds is None
        assert runs_of(report)["if total > best:"] == 10
        assert report.result == concrete(*args)


def test_gradients_belong_to_the_lines_that_they_differentiate() -> None:
    def loss(w, x):
        y = np.tanh(x @ w)
        return np.sum(y * y)

    def step(w, x):
        g = ag.grad(loss)(w, x)
        return w - g

    report = ag.profile(step, np.eye(3), np.ones((2, 3)))
    backward = [s for s in report.stacks if s.frames[-1].text == "y = np.tanh(x @ w)"]
    assert [frame.text for frame in backward[0].frames] == ["g = ag.grad(loss)(w, x)", "y = np.tanh(x @ w)"]
    assert ag.profile(ag.grad(loss), np.eye(3), np.ones((2, 3))).lines[0].file == __file__
    products = [n.place for n in ag.function(step).get_concrete_function(
        np.eye(3), np.ones((2, 3))).graph.walk() if n.op == "matmul"]  # fmt: skip
    assert products == [f"{__file__}:{loss.__code__.co_firstlineno + 1}"] * 2


def test_keywords_and_converted_functions() -> None:
    assert ag.profile(smooth, n=np.int64(2), x=np.ones(3) * [1, 2, 4]).function == "smooth"
    assert ag.profile(ag.convert(in_one_expression), np.float64(3), y=np.float64(4)).lines


@pytest.mark.parametrize("f", [3, None, len])
def test_what_is_no_function(f) -> None:
    with pytest.raises(ag.ArgumentError):
        ag.profile(f, np.ones(1))


def test_functions_of_frameworks() -> None:
    jax = required("jax")
    with pytest.raises(ag.ArgumentError, match="profile cannot time"):
        ag.profile(jax.jit(lambda x: x), np.ones(1))


def test_onnxruntime() -> None:
    required("onnxruntime")
    with pytest.raises(ag.OptionError, match="onnxruntime"):
        ag.profile(ag.function(lambda x: x + 1, engine="onnxruntime"), np.ones(1))


def test_in_a_trace_and_under_a_tape() -> None:
    with pytest.raises(ag.StateError, match="while a function is traced"):
        ag.function(lambda x: ag.profile(np.log, x).result)(np.ones(2))
    with ag.GradientTape(), pytest.raises(ag.StateError, match="tape records"):
        ag.profile(lambda x: x, np.ones(2))


@pytest.mark.parametrize("engine", ["numpy", "native"])
def test_errors_are_those_of_the_call(engine: str) -> None:
    """An error has the traceback and the effects that it has in a call."""
    if engine == "native":
        required("llvmlite")

    def f(x, n):
        total = x[0]
        for i in range(n):
            total = total + x[i]
        return total

    with pytest.raises(IndexError) as caught:
        ag.profile(ag.function(f, engine=engine), np.ones(3), np.int64(5))
    last = traceback.extract_tb(caught.value.__traceback__)[-1]
    assert (last.filename, last.lineno) == (__file__, f.__code__.co_firstlineno + 3)


def test_numerics_are_checked() -> None:
    ag.check_numerics(True)
    try:
        with np.errstate(over="ignore"), pytest.raises(ag.NumericsError):
            ag.profile(lambda x: np.exp(x), np.full(2, 1e4))
        assert ag.profile(in_one_expression, np.float64(3), np.float64(4)).repetitions == 1
    finally:
        ag.check_numerics(False)
