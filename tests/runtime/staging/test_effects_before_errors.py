"""What happens before an error ends a call: effects of `finally` and `__exit__`, other errors."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
import pytest

import autograph_rs as ag


class Catching:
    def __enter__(self):
        return self

    def __exit__(self, kind, error, traceback):
        if kind is not None:
            print("caught", kind.__name__)
        return kind is IndexError


class Nested:
    def __init__(self):
        self.depth = 0

    def __enter__(self):
        self.depth += 1
        return self

    def __exit__(self, *error):
        self.depth -= 1
        return False


def manager(xs, i):
    x = 0.0
    with Catching():
        x = xs[i]
    return x + 1.0


def other_error_at_the_end(xs, i):
    t = 0.0
    try:
        t = 1.0
        if i < 1:
            raise KeyError("small")
        raise ValueError("large")
    finally:
        print("t", t)


def in_a_loop(xs, i):
    n = 0
    for x in xs:
        try:
            if x < 1:
                raise KeyError("small")
            if x > 2 * i:
                raise ValueError("large")
            n += 1
        except KeyError:
            n += 10
        finally:
            print("n", n)
    return n


def from_a_handler(xs, i):
    try:
        try:
            if i < 1:
                raise KeyError("small")
            raise ValueError("large")
        except KeyError as error:
            raise RuntimeError("small") from error
    except RuntimeError:
        return -1.0
    finally:
        print("i", i)


def captured_again(xs, i):
    """The body is captured again for the list, and must find `k` as it was."""
    k, found = i, []
    try:
        print("k", k)
        if xs[0] > 1:
            raise KeyError("large")
        for k in [1]:
            k += 1
            if xs[1] > 3:
                found.append(k * 1.5)
    finally:
        pass


def outcome(function: Any, capsys: pytest.CaptureFixture[str], *arguments: Any) -> tuple[Any, str]:
    try:
        with np.errstate(all="ignore"):
            result = function(*arguments)
    except Exception as error:
        result = type(error), str(error)
    return result, capsys.readouterr().out


FUNCTIONS = [manager, other_error_at_the_end, in_a_loop, from_a_handler, captured_again]


@pytest.mark.parametrize("engine", ["numpy", "native"])
@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f.__name__)
def test_as_in_python(function: Any, engine: str, capsys: pytest.CaptureFixture[str]):
    if engine == "native":
        pytest.importorskip("llvmlite")
    staged = ag.function(function, engine=engine)
    for xs in (np.array([1.0, 2.5, 3.0]), np.array([2.0, 3.5]), np.array([0.5, 4.5, -1.0])):
        for i in (np.int64(1), np.int64(-1), np.int64(4), np.int64(-4)):
            assert outcome(staged, capsys, xs, i) == outcome(function, capsys, xs, i), (xs, i)


@pytest.mark.parametrize("end", ["release", "depth", "calls"])
def test_effects_on_plain_objects_come_once(end: str):
    nested, lock, calls = Nested(), threading.Lock(), []

    def released(xs, i):
        lock.acquire()
        try:
            return xs[i]
        finally:
            print("end", i)
            lock.release()

    def depth(xs, i):
        with nested:
            return xs[i]

    def noted(xs, i):
        try:
            return xs[i]
        finally:
            calls.append("end")

    staged = ag.function({"release": released, "depth": depth, "calls": noted}[end])
    assert staged(np.array([1.0, 2.5]), np.int64(1)) == 2.5
    assert staged(np.array([1.0, 2.5], "float32"), np.int64(1)) == 2.5
    assert (nested.depth, lock.locked(), len(calls)) == (0, False, 2 * (end == "calls"))


def key_after_item(xs, i):
    found = {}
    xs[i]
    return found[0]


def key_after_branch(xs, i):
    found, x = {}, 0.0
    if xs[0] > 0:
        x = xs[i]
    return found[x is None]


def key_after_loop(xs, i):
    found, total = {}, 0.0
    for k in range(i):
        total += xs[k]
    return found[0]


def item_added_in_a_loop(xs, i):
    found = {1: 2.0}
    for key in found:
        print(key, i)
        found[key + 1] = xs[0]
    return found


@pytest.mark.parametrize(
    "function",
    [key_after_item, key_after_branch, key_after_loop, item_added_in_a_loop],
    ids=lambda f: f.__name__,
)
def test_an_error_that_ends_the_trace_comes_after_those_of_the_graph(function, capsys):
    staged = ag.function(function)
    for i in (np.int64(1), np.int64(4)):
        xs = np.array([1.0, 2.5, 3.0])
        assert outcome(staged, capsys, xs, i) == outcome(function, capsys, xs, i)


def printed_at_the_end(xs, i):
    x = 0.0
    try:
        if i > 0:
            x = xs[i]
    finally:
        print("x", x)
    return x


def named_in_a_handler(xs, i):
    x = 0.0
    try:
        x = xs[i]
    except IndexError:  # noqa: TRY203 - so that the error is tested for
        raise
    finally:
        print("x", x)
    return x


def bound_at_the_end(xs, i):
    x = 0.0
    try:
        x = xs[i]
    finally:
        done = x
    return done


@pytest.mark.parametrize("engine", ["numpy", "native"])
def test_an_error_says_which_finally_has_not_run(engine: str, capsys: pytest.CaptureFixture[str]):
    if engine == "native":
        pytest.importorskip("llvmlite")
    xs, i = np.array([1.0, 2.5]), np.int64(4)
    with pytest.raises(IndexError) as raised:
        ag.function(printed_at_the_end, engine=engine)(xs, i)
    line = printed_at_the_end.__code__.co_firstlineno + 2
    assert raised.value.__notes__ == [
        f"the 'finally' of the 'try' on line {line} has not run: add 'except IndexError: raise' to it"
    ]
    for function in (named_in_a_handler, bound_at_the_end):
        staged = ag.function(function, engine=engine)
        with pytest.raises(IndexError) as raised:
            staged(xs, i)
        assert not hasattr(raised.value, "__notes__")
        capsys.readouterr()
        assert outcome(staged, capsys, xs, i) == outcome(function, capsys, xs, i)
