"""Behaviours 1 to 13: tracing and signatures."""

from __future__ import annotations

import collections
import dataclasses
import gc
import warnings
import weakref

import numpy as np
import pytest

import autograph_rs as ag


def counting(**options):
    """A function that notes each trace."""
    traces = []

    @ag.function(**options)
    def f(*args):
        traces.append(args)
        return args

    return f, traces


def add(x, y):
    return x + y


def test_01_a_decorator_with_and_without_options_and_a_call():
    bare = ag.function(add)

    @ag.function
    def decorated(x, y):
        return x + y

    @ag.function(input_signature=[ag.TensorSpec((None,)), ag.TensorSpec((None,))])
    def with_options(x, y):
        return x + y

    x = np.arange(3.0)
    for f in (bare, decorated, with_options):
        assert isinstance(f, ag.Function)
        np.testing.assert_array_equal(f(x, x), 2 * x)


def clip(x, low):
    if x < low:
        return low
    return x


def smooth(x):
    for _ in range(2):
        x = clip(x, 0.0) / 2
    return x


def test_02_what_a_function_calls_is_staged_with_it():
    f = ag.function(lambda x: smooth(x) + 1)
    assert f(np.float64(8)) == 3.0
    assert f(np.float64(-8)) == 1.0
    assert f.get_concrete_function(np.float64(8)).graph.count("cond") == 2


def test_03_python_side_effects_once_per_trace_and_print_at_every_call(capsys):
    @ag.function
    def f(x):
        print("Tracing")
        ag.print("Running", x)
        return x

    f(np.float64(1))
    f(np.float64(2))
    assert capsys.readouterr().out == "Tracing\nRunning 1.0\nRunning 2.0\n"


Point = collections.namedtuple("Point", "x y")


@dataclasses.dataclass
class Pair:
    first: object
    second: object


class Thing:
    pass


@pytest.mark.filterwarnings("ignore::autograph_rs.RetraceWarning")
def test_04_the_key_of_a_trace():
    one, other, v, w = Thing(), Thing(), ag.Variable(1.0), ag.Variable(1.0)
    apart = [
        1, 1.0, True, 2, "a", "b", None, 1j, np.ones(2), np.ones(3), np.ones(2, np.float32), np.float64(1),
        [1, -1], (1, -1), {"k": 1}, {"k": 2}, {"l": 1}, Point(1, 2), Point(1, 3), Pair(1, 2), Pair(1, [2]),
        one, other, v, w, [np.ones(2)], (np.ones(2),), 0.0, -0.0,
    ]  # fmt: skip
    f, traces = counting()
    for value in apart:
        f(value)
    assert len(traces) == len(apart)
    same = [
        1, True, 1.0, "a", None, np.zeros(2), np.float64(7), [1, -1], {"k": 2}, Point(1, 3), Pair(1, 2), one,
        v, [np.zeros(2)],
    ]  # fmt: skip
    for value in same:
        f(value)
    assert len(traces) == len(apart)


def test_04_objects_are_held_weakly():
    f = ag.function(lambda thing, x: x + thing.n)
    thing = Thing()
    thing.n = 2
    assert f(thing, np.float64(1)) == 3.0
    ref = weakref.ref(thing)
    del thing
    gc.collect()
    assert ref() is None
    assert f.pretty_printed_concrete_signatures() == ""


def test_05_numbers_trace_by_value_and_arrays_by_shape():
    traces = []

    @ag.function
    def double(a):
        traces.append(a)
        return a + a

    assert double(3) == 6
    assert double(2) == 4
    assert len(traces) == 2
    double(np.ones(3))
    double(np.zeros(3))
    assert len(traces) == 3
    assert double(np.array("a")) == "aa"
    assert double(np.array(["a", "b"])).tolist() == ["aa", "bb"]
    assert len(traces) == 5


def test_06_a_list_is_its_own_signature():
    f, traces = counting()
    assert f([1, -1]) == ([1, -1],)
    f([1, -1])
    f([1, -2])
    f([1, -1, 0])
    assert len(traces) == 3


def collatz(x):
    return np.where(x % 2 == 0, x // 2, 3 * x + 1)


def test_07_an_input_signature_limits_tracing():
    f = ag.function(collatz, input_signature=(ag.TensorSpec((None,), np.int32),))
    assert f(np.array([1, 2], np.int32)).tolist() == [4, 1]
    assert f(np.array([1, 2, 3], np.int32)).tolist() == [4, 1, 10]
    assert len(f.pretty_printed_concrete_signatures().splitlines()) == 1
    for wrong in (np.array([[1, 2]], np.int32), np.array([1.0, 2.0])):
        with pytest.raises(ag.SignatureError) as caught:
            f(wrong)
        text = str(caught.value)
        assert str(wrong.dtype) in text
        assert "int32[?]" in text


def test_08_none_in_a_shape_is_known_only_at_run_time():
    f = ag.function(lambda x: x.sum() / x.shape[0], input_signature=[ag.TensorSpec((None,))])
    assert [f(np.ones(n)) for n in (1, 4)] == [1.0, 1.0]
    assert f.get_concrete_function().graph.arguments[0].type.shape == (None,)


def test_09_reduce_retracing_generalises_shapes():
    traces = []

    @ag.function(reduce_retracing=True)
    def total(x):
        traces.append(x)
        return x.sum()

    for n in range(1, 10):
        assert total(np.ones((n, 2))) == 2 * n
    assert len(traces) == 3
    assert "float64[?, 2]" in total.pretty_printed_concrete_signatures()


def test_09_many_retraces_warn_once():
    f, _ = counting()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for n in range(12):
            f(np.ones(3), n)
    assert [w.category for w in caught] == [ag.RetraceWarning]
    assert "[1] was 0, 1" in str(caught[0].message)
    assert "[0]" not in str(caught[0].message)
    assert "as NumPy numbers, such as np.int64(n)," in str(caught[0].message)
    assert caught[0].filename == __file__


def test_10_functions_over_one_python_function_share_no_traces():
    first, second = ag.function(add), ag.function(add)
    first(np.ones(2), np.ones(2))
    assert first.pretty_printed_concrete_signatures()
    assert not second.pretty_printed_concrete_signatures()


def test_11_the_signatures_of_all_traces():
    f = ag.function(lambda x, n: {"y": x * n, "n": n})
    f(np.ones(3), 2)
    f(np.ones((2, 2), np.float32), 1.5)
    assert f.pretty_printed_concrete_signatures().splitlines() == [
        "<lambda>(x: float64[3], n=2) -> {'y': float64[3], 'n': 2}",
        "<lambda>(x: float32[2, 2], n=1.5) -> {'y': float32[2, 2], 'n': 1.5}",
    ]


def test_12_a_concrete_function():
    def power(a, b):
        print("tracing")
        return a**b

    f = ag.function(power)
    square = f.get_concrete_function(a=ag.TensorSpec(()), b=2)
    assert str(square) == "power(a: float64[], b=2) -> float64[]"
    assert square(np.float64(10)) == square(a=np.float64(10)) == square(np.float64(10), b=2) == 100.0
    assert square.structured_outputs == ag.TensorSpec(())
    args, kwargs = square.structured_input_signature
    assert (args, kwargs) == ((ag.TensorSpec(()), 2), {})
    assert square.graph.count("pow") == 1
    with pytest.raises(TypeError, match=r"'b' was traced as 2, not 3"):
        square(np.float64(10), b=3)
    with pytest.raises(TypeError, match=r"float64\[\], not float32\[\]"):
        square(np.float32(10))
    with pytest.raises(TypeError, match="'a'.* is missing"):
        square()


def test_12_by_position():
    f = ag.function(add)
    concrete = f.get_concrete_function(np.ones(2), 3)
    assert concrete(np.zeros(2)).tolist() == [3.0, 3.0]
    assert concrete(np.zeros(2), 3).tolist() == [3.0, 3.0]
    with pytest.raises(ag.SignatureError):
        concrete(np.zeros(2), 4)
    with pytest.raises(ag.SignatureError):
        concrete(np.zeros(2), 3, 4)


def test_13_functions_run_eagerly(capsys):
    @ag.function
    def f(x):
        print("running")
        return x + 1

    f(np.float64(1))
    f(np.float64(1))
    ag.run_functions_eagerly(True)
    try:
        assert f(np.float64(1)) == 2.0
        f(np.float64(1))
    finally:
        ag.run_functions_eagerly(False)
    f(np.float64(1))
    assert capsys.readouterr().out == "running\n" * 3


def test_signatures_name_types_as_users_do():
    @ag.function
    def best_and_count(x):
        best, count = None, []
        for v in x:
            if v > 0:
                count.append(1)
                if best is None or v > best:
                    best = v
        return best, count, {"x": x}

    best_and_count(np.ones(2))
    shown = "best_and_count(x: float64[2]) -> (float64[] or None, list[int], {'x': float64[2]})"
    assert best_and_count.pretty_printed_concrete_signatures() == shown
