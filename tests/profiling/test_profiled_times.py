"""Times by line, with a clock that moves only where a test says so."""

from __future__ import annotations

import json

import numpy as np
import pytest
from profiled_helpers import FLOAT, FakeClock, helper, runs_of

import autograph_rs as ag


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> FakeClock:
    return FakeClock(monkeypatch)


def seconds_of(report: ag.Profile) -> dict[str, float]:
    return {line.text: line.seconds for line in report.lines if line.seconds}


def test_a_slow_line_in_a_loop(clock: FakeClock) -> None:
    one, five = map(clock.waiting, (1, 5))

    def f(x, n):
        x = ag.py_function(one, [x], FLOAT)
        for _ in range(n):
            x = x + 1
            x = ag.py_function(five, [x], FLOAT)
        return x

    report = ag.profile(f, np.float64(0), np.int64(4))
    assert report.lines[0].text == "x = ag.py_function(five, [x], FLOAT)"
    assert seconds_of(report) == {
        "x = ag.py_function(five, [x], FLOAT)": 20.0,
        "x = ag.py_function(one, [x], FLOAT)": 1.0,
    }
    assert runs_of(report)["x = ag.py_function(five, [x], FLOAT)"] == 4
    assert report.lines[0].share == pytest.approx(20 / 21)
    assert report.seconds == 21.0
    assert report.result == 4.0


def test_a_slow_branch_that_is_rarely_taken(clock: FakeClock) -> None:
    one, hundred = map(clock.waiting, (1, 100))

    def f(xs):
        total = 0.0
        for x in xs:
            if x > 9:
                total = total + ag.py_function(hundred, [x], FLOAT)
            else:
                total = total + ag.py_function(one, [x], FLOAT)
        return total

    report = ag.profile(f, np.arange(11.0))
    assert seconds_of(report) == {
        "total = total + ag.py_function(hundred, [x], FLOAT)": 100.0,
        "total = total + ag.py_function(one, [x], FLOAT)": 10.0,
    }
    assert runs_of(report)["total = total + ag.py_function(hundred, [x], FLOAT)"] == 1
    assert runs_of(report)["if x > 9:"] == 11


def test_a_slow_line_of_a_helper_in_another_file(clock: FakeClock) -> None:
    three = clock.waiting(3)

    def f(x, n):
        for _ in range(n):
            x = helper(three, x)
        return x + helper(three, x)

    report = ag.profile(f, np.float64(0), np.int64(4))
    slow = report.lines[0]
    assert (slow.text, slow.seconds, slow.runs) == ("z = ag.py_function(wait, [y], FLOAT)", 15.0, 5)
    assert (slow.file, slow.function) == (helper.__code__.co_filename, "helper")
    in_loop, outside = sorted((s for s in report.stacks if s.seconds), key=lambda stack: -len(stack.frames))
    assert [frame.text for frame in in_loop.frames] == [
        "for _ in range(n):", "x = helper(three, x)", "z = ag.py_function(wait, [y], FLOAT)"
    ]  # fmt: skip
    assert (in_loop.seconds, outside.seconds) == (12.0, 3.0)
    assert (in_loop.runs, outside.runs) == (4, 1)


def test_while_loops_and_their_tests(clock: FakeClock) -> None:
    two = clock.waiting(2)

    def f(x):
        while ag.py_function(two, [x], FLOAT) < 5:
            x = x + 1
        return x

    report = ag.profile(f, np.float64(0))
    assert seconds_of(report) == {"while ag.py_function(two, [x], FLOAT) < 5:": 12.0}


def test_calls_of_a_recursive_function(clock: FakeClock) -> None:
    one = clock.waiting(1)

    @ag.function
    def fact(n):
        if n <= 1:
            return n
        m = ag.py_function(one, [n], FLOAT)
        return m * fact(n - 1)

    report = ag.profile(fact, np.float64(5))
    assert report.result == 120
    assert seconds_of(report) == {"m = ag.py_function(one, [n], FLOAT)": 4.0}
    assert runs_of(report)["m = ag.py_function(one, [n], FLOAT)"] == 4


def test_deeply_nested_loops(clock: FakeClock) -> None:
    """The compiled code of such a graph has several functions."""
    one = clock.waiting(1)
    lines = [f"{'    ' * (i + 1)}for _ in range(n):" for i in range(15)]
    source = "\n".join(
        ["def f(x, n):", *lines, f"{'    ' * 16}x = ag.py_function(one, [x], FLOAT)", "    return x"]
    )
    scope = {"one": one, "ag": ag, "FLOAT": FLOAT}
    exec(source, scope)
    report = ag.profile(ag.function(scope["f"], source=source), np.float64(1), np.int64(1))
    assert report.lines[0].seconds == 1.0
    assert report.lines[0].runs == 1
    assert report.result == 1.0


def test_the_text(clock: FakeClock) -> None:
    slow, fast = map(clock.waiting, (0.03, 0.01))

    def f(x, n):
        for _ in range(n):
            x = ag.py_function(slow, [x], FLOAT)
        return ag.py_function(fast, [x], FLOAT)

    report = ag.profile(ag.function(f, engine="numpy").get_concrete_function(np.float64(0), np.int64(3)),
                        np.float64(0), np.int64(3))  # fmt: skip
    first = f.__code__.co_firstlineno
    width = len("test_profiled_times.py:")
    assert str(report).replace("test_profiled_times.py:", "") == "\n".join(
        [
            "f: 100 ms (one run), engine 'numpy'",
            f"   time   share  runs  where   {'line':<{len(str(first)) + width}}  source",
            f"  90 ms  90.0 %     3  Python  {first + 2}  x = ag.py_function(slow, [x], FLOAT)",
            f"  10 ms  10.0 %     1  Python  {first + 3}  return ag.py_function(fast, [x], FLOAT)",
            f"   0 ns   0.0 %     4  Python  {first + 1}  for _ in range(n):",
        ]
    )


def test_json(clock: FakeClock) -> None:
    two = clock.waiting(2)

    def f(x):
        return ag.py_function(two, [x], FLOAT) + 1

    report = ag.profile(f, np.float64(0))
    data = json.loads(report.to_json())
    [line] = data["lines"]
    expected = {
        "file": __file__,
        "line": f.__code__.co_firstlineno + 1,
        "text": "return ag.py_function(two, [x], FLOAT) + 1",
    }
    assert line.items() >= {**expected, "seconds": 2.0, "share": 1.0, "runs": 1, "where": "Python"}.items()
    [stack] = data["stacks"]
    assert stack["frames"][0].items() >= expected.items()
    assert (data["function"], data["engine"], data["repetitions"]) == ("f", "auto", 1)
    assert data["tracing_seconds"] > 0
    assert "result" not in data
