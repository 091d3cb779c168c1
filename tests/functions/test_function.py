"""`function`: traces, signatures, arguments and results."""

from __future__ import annotations

import gc
import math
import subprocess
import sys
import threading
import weakref
from collections import namedtuple

import numpy as np
import pytest

import autograph_rs as ag
from autograph_rs.runtime.core.active_backends import ACTIVE


def counted():
    traces = []

    @ag.function
    def f(x):
        traces.append(None)
        return x

    return f, traces


def test_arrays_are_keyed_by_dtype_and_shape():
    """Two float arrays of one shape trace once."""
    f, traces = counted()
    for x in (np.ones(2), np.zeros(2), np.ones(3), np.ones(2, np.float32)):
        f(x)
    assert len(traces) == 3


def test_python_scalars_are_keyed_by_value_and_exact_type():
    """1, 1.0 and True are three traces, and come back as what they are."""
    f, traces = counted()
    assert [type(f(x)) for x in (1, 1.0, True, 1)] == [int, float, bool, int]
    assert len(traces) == 3


def test_objects_are_keyed_by_identity():
    """A new object is a new trace; the same one is not."""

    class Thing:
        pass

    f, traces = counted()
    first = Thing()
    f(first), f(first), f(Thing())
    assert len(traces) == 2


def test_structures_come_back():
    """Tuples, lists, dicts, named tuples and None keep their structure."""
    Point = namedtuple("Point", "x y")  # noqa: PYI024 - the plain kind is what is tested

    @ag.function
    def f(p, d):
        return Point(p.y, p.x), {"sum": d["a"] + p.x, "none": None, "text": "t"}, [p.x, (p.y,)]

    point, table, items = f(Point(np.float64(1), np.float64(2)), {"a": np.float64(3)})
    assert point == (2.0, 1.0)
    assert isinstance(point, Point)
    assert table == {"sum": 4.0, "none": None, "text": "t"}
    assert items == [1.0, (2.0,)]


def test_an_input_signature_is_one_trace_for_any_length():
    """Vectors of any length share the trace; a matrix and an int vector are refused, both sides shown."""
    traces = []

    @ag.function(input_signature=(ag.TensorSpec((None,), "float64"),))
    def f(x):
        traces.append(None)
        return x.sum() / len(x)

    assert (f(np.ones(3)), f(np.ones(5))) == (1.0, 1.0)
    assert len(traces) == 1
    for wrong in (np.ones((2, 2)), np.ones(2, np.int64), 1.0):
        shown = r"f was called with .* but its input_signature is \(float64\[\?\]\)"
        with pytest.raises(TypeError, match=shown):
            f(wrong)


def test_calls_with_an_input_signature_skip_binding():
    """The second call with the same shapes runs the compiled function; wrong arguments still raise."""
    specs = [ag.TensorSpec((None,)), ag.TensorSpec((), "int64")]
    f = ag.function(lambda x, n: x.sum() + n, input_signature=specs)
    for _ in range(2):
        assert f(np.ones(3), np.int64(1)) == 4
        assert f(np.ones(5), 2) == 7  # a Python number is converted to the dtype of its spec
    assert len(f._fast_paths) == 1
    with pytest.raises(ag.SignatureError):
        f(np.ones(3), np.float64(1))
    with pytest.raises(ag.SignatureError):
        f(np.ones((3, 1)), np.int64(1))


def test_two_functions_share_no_traces():
    """Each `function` object has its own."""
    traces = []

    def f(x):
        traces.append(None)
        return x

    ag.function(f)(np.ones(1)), ag.function(f)(np.ones(1))
    assert len(traces) == 2


def test_a_method_is_traced_per_object():
    """The object is part of the signature; its plain attributes are frozen in the trace."""

    class Scale:
        def __init__(self, factor):
            self.factor = factor

        @ag.function
        def __call__(self, x):
            return x * self.factor

    assert (Scale(2)(np.float64(3)), Scale(5)(np.float64(3))) == (6.0, 15.0)


def test_a_concrete_function_does_not_trace_again():
    """It is made from values or specs, and runs on arrays."""
    traces = []

    @ag.function
    def f(x, k):
        traces.append(None)
        return x * k

    concrete = f.get_concrete_function(ag.TensorSpec((None,), "int64"), 3)
    assert concrete(np.arange(3)).tolist() == [0, 3, 6]
    assert concrete(np.arange(2)).tolist() == [0, 3]
    assert len(traces) == 1


def test_a_function_called_in_a_trace_is_part_of_it():
    """A `function` inside a `function` is traced into the outer graph."""

    @ag.function
    def inner(x):
        return x + 1 if x > 0 else x - 1

    @ag.function
    def outer(x):
        return inner(x) * inner(-x)

    assert outer(np.float64(2)) == -9.0


def test_sixteen_threads_trace_once():
    """The first call of many threads makes one trace."""
    f, traces = counted()
    barrier, results = threading.Barrier(16, timeout=300), []

    def call():
        barrier.wait()
        results.append(f(np.ones(4)).sum())

    threads = [threading.Thread(target=call) for _ in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [4.0] * 16
    assert len(traces) == 1


def test_a_leaked_value_says_so():
    """A staged value that outlives its trace cannot be used, and the error says what happened."""
    leaked = []

    @ag.function
    def f(x):
        leaked.append(x * 2)
        return x

    f(np.float64(1))
    with pytest.raises(ag.LeakError, match="leaked"):
        leaked[0] + 1


def test_a_function_without_a_rule_is_named():
    """NumPy functions outside the table raise, with their name."""
    with pytest.raises(ag.UnsupportedFunctionError, match=r"numpy\.roots"):
        ag.function(lambda x: np.roots(x))(np.ones(3))  # noqa: PLW0108 - it is what is called


def test_recursion_that_cannot_be_staged_is_one_error():
    """It does not end in a thousand frames."""

    def down(n, path):
        if n <= 0:
            return len(path)
        return down(n - 1, (*path, n))

    with pytest.raises(ag.StagedRecursionError, match="'down' calls itself under a staged condition"):
        ag.function(down)(np.int64(5), ())


def test_a_try_catches_what_its_body_raises():
    """A handler is a condition on what has been raised."""

    def f(x):
        try:
            if x > 0:
                raise ValueError("positive")
        except ValueError:
            return 1
        return 2

    assert ag.function(f)(np.float64(1)) == 1
    assert ag.function(f)(np.float64(-1)) == 2


def test_branches_that_cannot_be_merged_are_rows():
    """One row for each variable, with what it is on each side."""

    def f(xs):
        a, b = 1, "text"
        for x in xs:
            if x > 0:
                a, b = np.ones(3), 2
        return a, b

    with pytest.raises(ag.MismatchError) as raised:
        ag.function(f)(np.ones(2))
    [row] = raised.value.rows
    first = f.__code__.co_firstlineno
    assert row.splitlines() == [
        "b: int if true | str if false (strings have no common type with other values)",
        f"    if true, line {first + 4}: a, b = np.ones(3), 2",
        f'    if false, line {first + 1}: a, b = 1, "text"',
    ]


@pytest.mark.parametrize("second", [slice(None), slice(1, None), slice(None, None, -1)])
def test_a_written_argument_that_shares_memory_is_refused(second):
    """The other argument would not see the write."""

    @ag.function
    def f(x, y):
        x[0] = 1.0
        return x + y.sum()

    array = np.zeros(3)
    with pytest.raises(ag.StagingError, match=r"'x', which shares memory with 'y'"):
        f(array, array[second])
    assert not array.any()


def test_arguments_that_interleave_share_nothing():
    @ag.function
    def f(x, y):
        x[0] = 1.0
        return x + y

    array = np.zeros(4)
    assert f(array[::2], array[1::2]).tolist() == [1.0, 0.0]
    assert array.tolist() == [1.0, 0.0, 0.0, 0.0]


def test_equal_results_are_arrays_of_their_own():
    first, second = ag.function(lambda x: (x + 1, x + 1))(np.zeros(2))
    first[0] = 5.0
    assert second.tolist() == [1.0, 1.0]


def test_functions_that_give_several_numbers():
    @ag.function
    def f(x):
        return math.modf(float(x)), math.frexp(float(x)), math.isclose(float(x), 1.0, rel_tol=0.9)

    assert f(np.float64(3.25)) == (math.modf(3.25), math.frexp(3.25), True)


def kept(x):
    found = []
    for value in x:
        if value > 0:
            found.append(float(value))  # noqa: PERF401 - this is the loop to be staged
    return found


@pytest.mark.parametrize(
    "body",
    [
        lambda xs: [1.0] + xs,  # noqa: RUF005 - a sum is what is tested
        lambda xs: xs + xs,
        lambda xs: xs * 2 + 2 * xs,
        lambda xs: (xs == [1.0, 2.0], xs != [1.0, 2.0], xs == [1.0], xs == 3, xs == [1.0, 2.0]),
    ],
)
def test_operators_of_staged_lists(body):
    """Lists whose length is known at run time are added, repeated and compared as Python's."""
    x = np.array([1.0, -1.0, 2.0])
    assert ag.function(lambda x: body(kept(x)))(x) == body(kept(x))


def test_zip_strict():
    @ag.function
    def dot(x, y):
        total = 0.0
        for a, b in zip(x, y, strict=True):
            total += a * b
        return total

    assert dot(np.ones(3), np.ones(3)) == 3.0
    with pytest.raises(ValueError, match="argument 2 is longer"):
        dot(np.ones(3), np.ones(4))


def test_a_function_that_a_trace_made_is_not_kept():
    made = []

    def adder(k):
        def add(x):
            return x + k

        made.append(weakref.ref(add))
        return add

    f = ag.function(lambda x: adder(3.0)(x) * 1)
    assert f(np.float64(1.0)) == 4.0
    gc.collect()
    assert [function() for function in made] == [None]


def test_a_converted_function_that_calls_itself_is_not_kept():
    def make():
        @ag.convert
        def f(n):
            return 0 if n == 0 else f(n - 1)

        return weakref.ref(f)

    made = make()
    gc.collect()
    assert made() is None


class Unannounced:
    """A backend that does not announce when it stages."""

    def staging(self):
        return False


def test_a_backend_that_may_stage_does_not_slow_calls_with_arrays(monkeypatch):
    """As JAX may, once it is imported: arrays alone go straight to the compiled graph."""
    double = ag.function(lambda x: x * 2)
    x = np.ones(2)
    unannounced = Unannounced()
    ACTIVE.insert(0, unannounced)
    try:
        double(x)
        monkeypatch.setattr(double, "call_bound", None)
        np.testing.assert_array_equal(double(x), [2.0, 2.0])
    finally:
        ACTIVE.remove(unannounced)


def test_converting_loads_no_graphs(tmp_path):
    """Converting a function does not import the modules that tracing needs."""
    program = tmp_path / "program.py"
    program.write_text(
        "import sys, autograph_rs as ag\n"
        "def f(x):\n"
        "    return 1 if x else 2\n"
        "assert (ag.to_graph(f)(True), ag.convert(f)(False)) == (1, 2)\n"
        "print([name for name in sys.modules if name.startswith('autograph_rs.runtime.graph')])\n"
    )
    done = subprocess.run([sys.executable, program], capture_output=True, text=True, check=True, timeout=300)
    assert done.stdout == "[]\n"
