"""What enters and leaves machine code: types, names of arrays, ranges, signals, forks, the cache."""

from __future__ import annotations

import os
import signal
import subprocess
import sys

import numpy as np
import pytest
from native_support import check, engine_of, needs_llvm, specs

import autograph_rs as ag
from autograph_rs.runtime.graph.native import background, region

pytestmark = needs_llvm
N, F = np.int64, np.float64
COUNT = ((), "int64")


# --- Ranges ---------------------------------------------------------------------------------------


def with_steps(a, b, s, n):
    t, last = 0, 0
    for k in range(n):
        for i in range(a, b, s):
            t = t * 3 + i
            last = i
        for i, j in zip(range(b, a, s), range(a, b, 1), strict=False):
            t = t + i * j
        for i in reversed(range(a, b, s)):
            t = t - i * 2 + k
        for i, j in enumerate(range(a, b, s), a):
            t = t + i * j
    return t, last


def test_ranges_with_any_step():
    """The step of a range may be a variable: up, down, far, and zero, which raises."""
    calls = [
        (N(a), N(b), N(s), N(n))
        for a in (-5, 0, 7)
        for b in (-9, 0, 20)
        for s in (-3, -1, 1, 2, 100, 0)
        for n in (0, 2)
    ]
    far = [(2**62, 2**62 + 9, 4, 2), (-(2**63), 2**63 - 1, 2**62, 2), (0, 10, -(2**63), 1)]
    check(with_steps, *calls, *[tuple(map(N, numbers)) for numbers in far], plain=False)


def primes(n):
    prime = np.ones(n + 1, np.bool_)
    count = 0
    for i in range(2, n + 1):
        if prime[i]:
            count += 1
            for j in range(i * i, n + 1, i):
                prime[j] = False
    return count


def test_a_sieve():
    check(primes, (N(100),), (N(2),), input_signature=specs(COUNT))


def late_numbers(x, k, n):
    t = 0
    for _ in range(n):
        for i, _v in enumerate(x, k * 4):
            t = i
    return t


def test_enumerate_that_begins_late():
    """A count beyond 64 bits is a Python int."""
    calls = [(np.ones(8), k, N(2)) for k in (2**61 - 1, 2**63, -(2**63))]
    check(late_numbers, *calls, is_native=False)


def until_large(k, x):
    t, last = 0.0, 0
    n = int(k)
    n = n * n * n
    for i in range(n):
        t = t + x
        last = i
        if t > 50:
            break
    return t, last


@pytest.mark.parametrize("engine", ["auto", "native", "numpy"])
def test_a_range_of_more_elements_than_len_allows(engine):
    assert ag.function(until_large, engine=engine)(N(2**30), F(1.0)) == (51.0, 50)


def test_a_bound_that_is_a_python_int(monkeypatch):
    """Machine code takes over a loop over `range(n)`, where `n` was a NumPy integer."""
    monkeypatch.setattr(region, "HOT_SECONDS", 0)
    monkeypatch.setattr(
        "autograph_rs.runtime.graph.native.engine.Engine.compile_later",
        lambda self, loop: self._compile(loop),
    )

    def summed(n):
        s = 0
        for i in range(n):
            s = s + i
        return s

    f = ag.function(summed, engine="auto")
    assert f(N(1000)) == summed(1000)
    [loop] = engine_of(f).regions
    assert loop.ready and loop._plain is None


def test_parallel_loops_over_a_numpy_integer():
    def squares(x, n):
        for i in range(n):
            x[i] = x[i] * x[i]
        return x

    f = ag.function(squares, engine="native", parallel=True)
    f(np.arange(8.0), N(8))
    [loop] = engine_of(f).regions
    assert loop.is_parallel
    results = loop.run._run_parts(range(8), (True, 0, N(8), np.arange(8.0)))
    assert results is not None and results[0].tolist() == [float(i * i) for i in range(8)]


# --- Arrays without dimensions --------------------------------------------------------------------


def carried_scalar(a, n):
    for i in range(n):
        if i > 10**6:
            a = a * 2
    return a


def carried_array(v, n):
    a = np.array(v)
    for i in range(n):
        if i > 10**6:
            a = a * 2
    return a


def selected(v, n):
    a = v
    for i in range(n):
        a = np.where(v > i, v, 1.0)
    return a


def zeros(v, n):
    a = np.zeros(())
    for i in range(n):
        a = a + v * i
    return a


@pytest.mark.parametrize("function", [carried_scalar, carried_array, selected, zeros])
def test_arrays_without_dimensions(function):
    """They stay arrays, whatever runs the loop."""
    check(function, (F(1.5), N(0)), (F(1.5), N(3)), is_native=False)
    check(function, (np.array(1.5), N(3)), is_native=False)


# --- Names of arrays ------------------------------------------------------------------------------


def rows_that_are_positive(m, n):
    out = []
    for i in range(n):
        if m[i, 0] > 0:
            row = m[i]
            out.append(row)
    return out


def the_same_twice(x, n):
    out = []
    for i in range(n):
        y = x * i
        out.append(y)
        out.append(y)
    return out


def the_latest(x, n):
    out, y = [], x
    for _ in range(n):
        y = y * 2
        out.append(y)
    return out, y


def new_rows(x, n):
    out = []
    for i in range(n):
        row = np.zeros(3)
        row[0] = x[0] * i
        out.append(row)
    return out


def names(values):
    """Return which of some arrays share memory."""
    return [[np.shares_memory(a, b) for a in values] for b in values]


@pytest.mark.parametrize("function", [rows_that_are_positive, the_same_twice, the_latest, new_rows])
def test_lists_of_arrays(function):
    """The arrays in a list are those that Python would put there."""
    x = np.arange(1.0, 13.0).reshape(4, 3) if function is rows_that_are_positive else np.arange(1.0, 4.0)
    native = check(function, (x, N(4)), (x, N(0)), is_native=False)

    def arrays(result):
        parts = result if isinstance(result, tuple) else (result,)
        return [x, *(a for part in parts for a in (part if isinstance(part, list) else [part]))]

    assert names(arrays(native(x, N(4)))) == names(arrays(function(x, 4)))
    assert bool(engine_of(native).refused) == (function is not new_rows)


def latest_row(m, y, n):
    r, s = m[0], 0.0
    for i in range(n):
        r = m[i]
        s = s + y[0]
    return r, s


def test_arguments_that_overlap():
    """A row is a view of the argument that it was taken from."""
    base = np.arange(40.0).reshape(10, 4)
    native, plain = ag.function(latest_row, engine="native"), latest_row
    for y in (base.reshape(-1)[:6], base.reshape(-1)[2:9], base[3]):
        row, total = native(base, y, N(2))
        expected, sum_ = plain(base, y, 2)
        assert row.tolist() == expected.tolist() and total == sum_ and np.shares_memory(row, base)


def weighted(m, n):
    out, total = np.zeros(len(m)), 0.0
    for i in range(n):
        for j in range(n):
            total = total + m[i, j] * j
        out[i] = total
    return out


def test_other_layouts():
    """Arrays that are only read are copied where machine code needs another layout; others stay in Python."""
    m = np.arange(36.0).reshape(6, 6)
    layouts = (m, m.T, np.asfortranarray(m), m[::2, ::2], m[::-1], np.broadcast_to(m[0], (6, 6)))
    signature = specs(((None, None), "float64"), COUNT)
    native = check(weighted, *[(v, N(3)) for v in layouts], input_signature=signature)
    [loop] = engine_of(native).regions
    assert loop._plain is None
    view = ag.function(latest_row, engine="native")(m.T, m[0], N(2))[0]
    assert np.shares_memory(view, m)


def chained(a, b):
    c = a * 2.0
    d = c / b
    return d + 1.0


def test_the_line_of_an_error_in_a_chain():
    """A chain that gives up raises where NumPy does."""
    a, b = np.ones(5000), np.zeros(5000)
    check(chained, (a, a), (a, b), errors={"all": "raise"})


# --- Signals, forks, the cache --------------------------------------------------------------------


class TimedOutError(ValueError):
    pass


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="Windows has no interval timers")
def test_a_signal_handler_that_raises_what_conversions_raise():
    """Its error reaches the caller, and the loop does not run again."""

    def counted(x):
        while x[0] >= 0:
            x[0] = x[0] + 1
        return x

    def handler(*_):
        raise TimedOutError

    f = ag.function(counted, engine="native")
    f(np.array([-1.0]))
    before = signal.signal(signal.SIGALRM, handler)
    signal.setitimer(signal.ITIMER_REAL, 0.05)
    try:
        with pytest.raises(TimedOutError):
            f(np.array([0.0]))
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


FORKS = """
import os, sys, threading
import numpy as np, autograph_rs as ag
from autograph_rs.runtime.graph.native import background
def f(n):
    s = 0
    for i in range(n):
        s = s + i * i
    return s
begun = threading.Event()
def task():
    begun.set()
    ag.function(f, engine="native")(np.int64(9))
background.submit(task)
begun.wait()
pid = os.fork()
assert ag.function(f, engine="native")(np.int64(10)) == 285
if pid:
    assert os.waitpid(pid, 0)[1] == 0
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="Windows has no fork")
def test_a_fork_while_the_compiler_runs(tmp_path):
    """The child can compile, because the fork waits until no locks of LLVM are held."""
    path = tmp_path / "forks.py"
    path.write_text(FORKS, encoding="utf-8")
    environment = os.environ | {"AUTOGRAPH_RS_CACHE": "off"}
    subprocess.run([sys.executable, "-W", "ignore", path], check=True, timeout=120, env=environment)


def test_a_task_that_fails(caplog):
    """The thread in the background goes on."""
    done = []
    background.submit(lambda: 1 // 0)
    background.submit(lambda: done.append(True))
    background.wait_for_compilation()
    assert done == [True]
    assert "a compilation in the background failed" in caplog.text


def test_a_cache_that_cannot_be_written(tmp_path, monkeypatch):
    """A call works as without a cache, whatever the file system answers."""
    monkeypatch.setenv("AUTOGRAPH_RS_CACHE", str(tmp_path / "cache"))

    def refuse(*_, **__):
        raise OSError(30, "Read-only file system")

    for name in ("open", "unlink", "utime"):
        monkeypatch.setattr(os, name, refuse)
    assert ag.function(primes, engine="native")(N(30)) == 10
