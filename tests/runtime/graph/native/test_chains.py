"""Chains of element-wise operations on large arrays: one loop over the elements does what NumPy does."""

from __future__ import annotations

import os
import subprocess
import sys
import threading

import numpy as np
import pytest
from native_support import check, draw, engine_of, needs_llvm

import autograph_rs as ag
from autograph_rs.runtime.graph.native import background, chains, workers

pytestmark = needs_llvm
N = np.int64
SIZES = (4096, 4097, 4111, 20_000)


def leaky(a, b):
    y = a * 2.0 + b
    return np.where(y > 0, y, 0.1 * y)


def several_results(a, b):
    c = a + b
    d = c * c
    e = np.where(d > b, c, d)
    return e, c, d - e


def mixed_dtypes(a, b):
    m = (a > b) | (b != 0.5)
    n = (a < 1) & m
    return n, ~m, np.where(n, a, b) / 2


def divided(a, b):
    q = a / b
    return np.where(b != 0, q, 0.0) + 1


@pytest.mark.parametrize("function", [leaky, several_results, mixed_dtypes, divided])
def test_sizes(function):
    """Sizes that are multiples of a vector's and others give NumPy's bits and warnings."""
    check(function, *[(draw(n, n), draw(n, n + 1)) for n in SIZES])


def test_integers_wrap():
    """Integers in arrays wrap around, and are compared and shifted like NumPy's."""
    a, b = draw(5000, 1, "int64"), draw(5000, 2, "int64")
    check(lambda a, b: (a * b + a - b, (a ^ b) & ~a, abs(a) + b), (a, b))
    c, d = draw(5000, 3, "uint8"), draw(5000, 4, "uint8")
    check(lambda a, b: (a * b + a - b, a > b), (c, d))


@pytest.mark.parametrize("errors", [{}, {"over": "raise"}, {"all": "ignore"}])
def test_what_where_does_not_select_warns(errors):
    """NumPy computes both branches of `where`, so both warn, in the last elements, too."""

    def scaled(a, b):
        big = a * b
        return np.where(a < 1e300, a, big)

    def divided(a, b):
        return np.where(a > 2, np.where(b > 0, 1 / (a - 1) > b, False), True)

    a = np.ones(4099)
    for place in (0, 4095, 4096, 4098):
        changed = a.copy()
        changed[place] = 1e200
        check(scaled, (changed, a * 1e200), (a, a), errors=errors)
        changed = a * 2
        changed[place] = 1
        check(divided, (changed, a), (a * 2, a), errors=errors)


def test_layouts():
    """Arrays of two dimensions are one loop if they are contiguous; others have NumPy's layouts."""
    m, k = draw(80 * 90, 1).reshape(80, 90), draw(80 * 90, 2).reshape(80, 90)
    signature = [ag.TensorSpec((80, 90), "float64")] * 2
    fortran, every_second = np.asfortranarray(m), np.repeat(m, 2, axis=1)[:, ::2]
    calls = [(m, k), (fortran, k), (every_second, k), (fortran, fortran)]
    check(several_results, *calls, input_signature=signature)
    check(leaky, *calls, input_signature=signature)
    flat = np.repeat(draw(5000, 3), 2)[::2]
    check(leaky, (flat, draw(5000, 4)), (draw(5000, 4), flat))


def test_broadcasting():
    """A chain that broadcasts a row runs as machine code, too."""
    m, row = draw(80 * 90, 1).reshape(80, 90), draw(90, 2)
    check(lambda m, row: (m + row) * m - row, (m, row))


def test_numbers_as_operands():
    """Python numbers, NumPy numbers and arrays without dimensions are the same for each element."""
    a = draw(10_000, 1)
    check(lambda a, s: (a * s + 1) * s, (a, np.float64(3.5)), (a, np.float64(np.inf)), (a, np.array(2.5)))


def test_a_long_chain():
    """A chain of hundreds of operations is not one loop."""

    def long(a, b):
        for i in tuple(range(100)):
            c = a * 0.5 + b
            a = np.where(c > i, c, a)
        return a

    a = np.linspace(0, 1, 5000)
    native = check(long, (a, a + 200))
    assert max(len(chain.chain.nodes) for chain in engine_of(native).chains) > 200


def test_results_are_new_arrays():
    """The results of a call share memory neither with each other nor with those of other calls."""
    a, b = np.arange(5000.0), np.ones(5000)
    function = ag.function(several_results, engine="native")
    arrays = [a, b, *function(a, b), *function(a, b)]
    assert not any(np.shares_memory(x, y) for i, x in enumerate(arrays) for y in arrays[:i])
    assert all(x.flags.owndata for x in arrays)


# --- Several threads ------------------------------------------------------------------------------


@pytest.fixture
def several_threads(monkeypatch):
    """Cut arrays into parts, whatever the number of processors."""
    monkeypatch.setattr(chains, "MIN_PART", 1500)
    monkeypatch.setattr(chains, "thread_count", lambda: 3)


def test_threads_do_what_one_does(several_threads):
    """The parts of a large array have NumPy's bits, whatever the size and layout."""
    check(several_results, *[(draw(n, n), draw(n, n + 1)) for n in (5000, 5001, 9999)])
    m, k = draw(80 * 90, 1).reshape(80, 90), draw(80 * 90, 2).reshape(80, 90)
    check(leaky, (m, k), (m.T.copy().T, k), input_signature=[ag.TensorSpec((80, 90), "float64")] * 2)
    check(lambda a, s: (a * s + 1) * s, (draw(7000, 1), np.float64(3.5)), (draw(7000, 1), np.array(2.5)))


@pytest.mark.parametrize("errors", [{}, {"over": "raise"}, {"over": "ignore"}, {"under": "warn"}])
def test_threads_warn_once(several_threads, errors):
    """A warning of any part is that of the whole operation, under the caller's `errstate`."""
    a = np.ones(9000)
    for place in (0, 4000, 8999):
        changed = a.copy()
        changed[place] = 1e200
        check(lambda a, b: a * b + b, (changed, changed), errors=errors)
        changed[place] = 1e-200
        check(lambda a, b: a * b + b, (changed, changed), errors=errors)


def test_the_faster_of_two_ways_runs(monkeypatch):
    """Each has its turns; then the one that took less time runs, until both are measured again."""
    now, called, took = [0.0], [], {"threads": 2.0, "one": 1.0}
    monkeypatch.setattr(workers, "perf_counter", lambda: now[0])
    monkeypatch.setattr(workers, "CALLS_UNTIL_MEASURED", 30)

    def way(name):
        def run(x):
            now[0] += took[name]
            called.append(name)
            return (x,)

        return run

    faster = workers.FasterOf(way("threads"), way("one"))
    turns = (
        workers.MEASURED_CALLS
        // workers.CALLS_IN_SUCCESSION
        * [name for name in ("threads", "one") for _ in range(workers.CALLS_IN_SUCCESSION)]
    )
    count = 2 * (len(turns) + 30)
    results = []
    for i in range(count):
        if i == count // 2:
            took["one"] = 3.0
        results.append(faster(i))
    assert results == [(i,) for i in range(count)]
    assert called == [*turns, *["one"] * 30, *turns, *["threads"] * 30]


def in_threads(f, *args):
    """Return the way of a chain that uses several threads."""
    function = ag.function(f, engine="native")
    function(*args)
    [chain] = engine_of(function).chains
    return chain.run._functions[0]


def test_workers_take_parts(several_threads):
    """They do so once they listen, and the results are those of the calling thread."""
    a, b = np.linspace(-1, 1, 9000), np.linspace(3, -3, 9000)
    run = in_threads(leaky, a, b)
    run(a, b)
    for worker in workers._workers[:2]:
        worker._words[3] = 99  # the status of the last part
        while worker._words[3]:
            np.testing.assert_array_equal(run(a, b)[0], leaky(a, b))


def test_callers_share_workers(several_threads):
    """A thread whose parts nobody takes runs them itself."""
    pairs = [(np.linspace(-1, i, 9000), np.linspace(i, -3, 9000)) for i in range(3)]
    run, wrong = in_threads(leaky, *pairs[0]), []

    def call(a, b):
        expected = leaky(a, b)
        wrong.extend(i for i in range(300) if not np.array_equal(run(a, b)[0], expected))

    threads = [threading.Thread(target=call, args=pair) for pair in pairs]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


FORKS = """
import os, numpy as np, autograph_rs as ag
f = ag.function(lambda x: x * 2 + 1, engine="native")
x = np.arange(600_000.0)
assert np.array_equal(f(x), x * 2 + 1)
child = os.fork()
if not child:
    os._exit(0 if all(np.array_equal(f(x), x * 2 + 1) for _ in range(2)) else 1)  # in one thread, in several
_, status = os.waitpid(child, 0)
raise SystemExit(os.waitstatus_to_exitcode(status))
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the platform has no fork")
def test_a_forked_process_has_threads_of_its_own():
    """A child does not wait for threads that only its parent has."""
    command = [sys.executable, "-W", "ignore", "-c", FORKS]
    subprocess.run(command, check=True, timeout=120)


def test_a_long_chain_is_looked_up_before_it_runs(tmp_path, monkeypatch):
    """If its machine code is in the cache, the first call uses that; otherwise NumPy runs."""
    monkeypatch.setenv("AUTOGRAPH_RS_CACHE", str(tmp_path / "cache"))
    x = np.linspace(-1.0, 1.0, 2**20)
    np.testing.assert_array_equal(ag.function(leaky)(x, x), leaky(x, x))
    background.wait_for_compilation()
    auto = ag.function(leaky)
    np.testing.assert_array_equal(auto(x, x), leaky(x, x))
    [chain] = engine_of(auto).regions
    assert (chain.from_cache, chain.native_calls, chain.python_calls) == (True, 1, 0)


# --- Numbers whose types vary ---------------------------------------------------------------------


def scaled_by_maximum(x, s):
    k = max(s, 2.0)
    return (x * k + 1) - x


def scaled_by_minimum(x, s):
    k = min(s, 2)
    return (x * k + 1) - x


def scaled_by_item(x, s, n):
    items = [s, max(s, 2.0)]
    return (x * items[n] + 1) - x


def test_a_number_of_another_type_than_the_graph_says():
    """`max(np.float64(1), 2.0)` is a float, which does not promote `float32`."""
    x = np.linspace(-3, 7, 5000)
    check(scaled_by_maximum, *[(x.astype("f4"), np.float64(s)) for s in (1.0, 3.0, 2.0)])
    check(scaled_by_minimum, *[(x.astype("i4"), N(s)) for s in (1, 3, 2)])
    check(scaled_by_item, *[(x.astype("f4"), np.float64(1.0), N(n)) for n in (0, 1)])


def raises_in_the_middle(x):
    a = x + 1.0
    b = a * 2.0
    c = b * 1e308
    return c - a


@pytest.mark.parametrize("size", [5000, 300_000])
def test_the_line_of_an_error_in_threads(several_threads, size):
    check(raises_in_the_middle, (np.full(size, 1e-5),), (np.full(size, 1e5),), errors={"over": "raise"})
