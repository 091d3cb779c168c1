"""Regions at run time: bailouts, threads, forks, memory, interruptions, and the change to machine code."""

from __future__ import annotations

import concurrent.futures
import copy
import os
import pickle
import subprocess
import sys

import numpy as np
import pytest
from native_support import check, described, engine_of, needs_llvm, outcome

import autograph_rs as ag
from autograph_rs.runtime.graph.native import background, region

pytestmark = needs_llvm
N, F = np.int64, np.float64


def grows(n):
    s = 1
    for i in range(n):
        s = s * 3 + i
    return s


def wraps(x, n):
    for i in range(n):
        x = x * np.int32(3) + np.int32(i % 7)
    return x


def test_bailouts_in_every_iteration():
    """A loop that leaves machine code in each iteration ends without a RecursionError."""
    native = check(grows, (N(300),), (N(10),))
    assert native(N(10_000)) == grows(10_000)
    check(wraps, (np.int32(3), N(10)), (np.int32(3), N(10_000)))
    assert engine_of(native)


def quotients(x):
    total = 0.0
    for i in range(len(x)):
        total = total + x[i] / 0.0
    return total


def test_warnings_name_the_graph():
    """A warning after a bailout comes from the graph of the function, as on NumPy."""
    for engine in ("numpy", "native"):
        f = ag.function(quotients, engine=engine)
        with pytest.warns(RuntimeWarning, match="divide by zero") as caught:
            f(np.ones(3))
        assert {w.filename for w in caught} == {"<graph of quotients>"}


def fails(a, n):
    s = 0.0
    for i in range(n):
        t = a * 2.0 + i
        s = s + (t * t)[i]
    return s


def resident_bytes() -> int:
    """Return the memory that this process has in use."""
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


@pytest.mark.skipif(not os.path.exists("/proc/self/statm"), reason="the memory in use is known only on Linux")
def test_memory_is_bounded():
    """Failing calls and many iterations free what they allocate."""
    native = ag.function(fails, engine="native")
    a = np.zeros(1000)
    with pytest.raises(IndexError):
        native(a, N(1001))
    before = resident_bytes()
    for _ in range(200):
        with pytest.raises(IndexError):
            native(a, N(1001))
    assert resident_bytes() - before < 20e6  # a leak of one array for each call and iteration takes 1.6 GB


def test_many_iterations_with_temporaries():
    """A temporary array lives for one iteration."""

    def f(a, n):
        s = np.float64(0.0)
        for i in range(n):
            s = s * 0.5 + (a * i)[0]
        return s

    native = ag.function(f, engine="native")
    assert native(np.ones(500), N(0)) == 0
    before = resident_bytes() if os.path.exists("/proc/self/statm") else 0
    native(np.ones(500), N(200_000))
    assert not before or resident_bytes() - before < 20e6  # 800 MB if nothing were freed


def filtered(a, n):
    s, t = 0.0, a * 0.0
    for i in range(n):
        t = t * 0.5 + a
        s = s + t[i % len(a)]
    return s, t


def test_threads_share_a_function():
    """Threads that call one function at the same time get the results of their own arguments."""
    native = ag.function(filtered, engine="native")
    arguments = [(np.arange(50.0) + k, N(2000)) for k in range(16)]
    expected = [described(native(*a)) for a in arguments]
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        assert list(pool.map(lambda a: described(native(*a)), arguments * 4)) == expected * 4


@pytest.mark.skipif(not hasattr(os, "fork"), reason="Windows has no fork")
def test_a_forked_process_compiles(tmp_path):
    """A child process runs what its parent compiled, and compiles in a thread of its own."""
    source = """
import os, numpy as np, autograph_rs as ag
from autograph_rs.runtime.graph.native import background, region
region.HOT_SECONDS = 0
def f(n):
    s = 0
    for i in range(n):
        s = s + i * i
    return s
g = ag.function(f)
g(np.int64(50)); background.wait_for_compilation()
assert g(np.int64(10)) == 285
h = ag.function(f)
pid = os.fork()
h(np.int64(50)); background.wait_for_compilation()
assert g(np.int64(10)) == h(np.int64(10)) == 285
assert all(r.ready for c in h._traces.values() for r in c.engine.regions)
if pid:
    assert os.waitpid(pid, 0)[1] == 0
"""
    path = tmp_path / "forks.py"
    path.write_text(source, encoding="utf-8")
    subprocess.run([sys.executable, "-W", "ignore", path], check=True, timeout=120)


def test_a_process_may_end_while_it_compiles(tmp_path):
    """The exit waits for the compiler, and does not crash in it."""
    path = tmp_path / "ends.py"
    path.write_text(
        "import numpy as np, autograph_rs as ag\n"
        "from autograph_rs.runtime.graph.native import region\n"
        "region.HOT_SECONDS = 0\n"
        "def f(n):\n    s = 0\n    for i in range(n):\n        s = s + i * i\n    return s\n"
        "print(ag.function(f)(np.int64(50)))\n",
        encoding="utf-8",
    )
    result = subprocess.run([sys.executable, path], check=True, capture_output=True, text=True, timeout=120)
    assert result.stdout == "40425\n" and result.stderr == ""


INTERRUPTED = """
import signal, sys, numpy as np, autograph_rs as ag
def f(a, n):
    k = 0
    while k < n:
        k = k + 1
        a[k % 8] = k
    return a
g = ag.function(f, engine="native")
print(g(np.zeros(8), np.int64(20)), flush=True)
calls = 0
def stop(number, frame):
    raise KeyboardInterrupt
signal.signal(signal.SIGALRM, stop)
signal.setitimer(signal.ITIMER_REAL, 0.2)
try:
    g(np.zeros(8), np.int64(2**60))
except KeyboardInterrupt:
    print("interrupted", flush=True)
print(g(np.zeros(8), np.int64(20)), flush=True)
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="Windows has no interval timers")
def test_an_interruption(tmp_path):
    """Ctrl-C ends a loop in machine code, and the function works afterwards."""
    path = tmp_path / "interrupted.py"
    path.write_text(INTERRUPTED, encoding="utf-8")
    result = subprocess.run([sys.executable, path], check=True, capture_output=True, text=True, timeout=120)
    first, word, last = result.stdout.splitlines()
    assert word == "interrupted" and first == last


@pytest.fixture
def at_once(monkeypatch):
    """Have each loop compiled after its first chunk of iterations."""
    monkeypatch.setattr(region, "HOT_SECONDS", 0)


def total(a, n):
    s = F(0)
    for i in range(n):
        s = s * 0.5 + a[i % 3]
    return s


def count(n):
    k, s = 0, 0
    while k < n:
        k = k + 1
        s = s + k * k
    return s, k


def test_machine_code_replaces_a_running_loop(at_once, monkeypatch):
    """A loop that has run a while goes on as machine code, with the values that it has then."""

    def compile_now(self, loop):
        self._compile(loop)

    monkeypatch.setattr("autograph_rs.runtime.graph.native.engine.Engine.compile_later", compile_now)
    for function, arguments in ((total, (np.array([1.0, 2.0, 3.0]), N(1000))), (count, (N(1000),))):
        auto = ag.function(function, engine="auto")
        assert outcome(auto, arguments) == outcome(function, arguments)
        [loop] = engine_of(auto).regions
        assert loop.ready and loop.native_calls == loop.python_calls == 0
        assert outcome(auto, arguments) == outcome(function, arguments)


def test_compilation_in_the_background(at_once):
    """A hot loop is compiled in another thread; until then, and afterwards, results are the same."""
    auto = ag.function(total)
    expected = total(np.ones(3), 40)
    assert auto(np.ones(3), N(40)) == expected
    background.wait_for_compilation()
    [loop] = engine_of(auto).regions
    assert loop.ready
    for _ in range(2 * region.MEASURED_CALLS):
        assert auto(np.ones(3), N(40)) == expected


@pytest.mark.parametrize("is_slower", [False, True])
def test_machine_code_that_does_not_pay(at_once, is_slower):
    """After some calls the faster way stays, and the function that a call uses is replaced."""
    auto = ag.function(total)
    auto(np.ones(3), N(40))
    background.wait_for_compilation()
    engine = engine_of(auto)
    [loop] = engine.regions
    loop.python_seconds, loop.python_calls = (0.0 if is_slower else 1e9), 1
    before = engine.function
    for _ in range(region.MEASURED_CALLS + 2 * region.TRIALS + 1):
        assert auto(np.ones(3), N(40)) == total(np.ones(3), 40)
        if loop._trial is not None:
            loop._trial.python_seconds, loop._trial.limit = 0.0, float("inf")
    assert engine.function is not before and not engine.is_changing
    assert bool(engine.refused) == is_slower
    assert ("machine code took" in loop.reason) == is_slower


def test_calls_that_grow(at_once):
    """Calls in Python that were short do not count against machine code that ran long ones."""
    auto = ag.function(total)
    auto(np.ones(3), N(40))
    background.wait_for_compilation()
    engine = engine_of(auto)
    [loop] = engine.regions
    loop.python_seconds, loop.python_calls = 0.0, 1
    for _ in range(region.MEASURED_CALLS):
        auto(np.ones(3), N(400))
    assert not loop.runs_native and loop.ready
    loop._trial.limit = 0.0  # as if Python took far longer
    assert auto(np.ones(3), N(400)) == total(np.ones(3), 400)
    assert loop.runs_native and not loop.reason and not engine.is_changing


def mixed(a, n):
    s = F(0)
    for i in range(n):
        for j in range(n):
            s = s + a[j] * i
        s = s + np.cumsum(a)[0] + np.sort(a)[-1]
    return s


def test_inner_loops_of_a_loop_that_stays_in_python():
    """A loop that is refused has a reason, and the loops inside of it are compiled."""
    native = check(mixed, (np.arange(5.0), N(5)), is_native=False)
    engine = engine_of(native)
    assert len(engine.regions) == 1 and all(r.reason for r in engine.refused)


def smooth(x, n):
    for i in range(n):
        x = np.tanh(x) * 0.5 + x * x[i]
    return (x * x).sum()


def test_gradients():
    """Gradients of loops have the same bits."""
    x = np.linspace(0.1, 0.5, 7)
    numpy, native = (ag.grad(ag.function(smooth, engine=e)) for e in ("numpy", "native"))
    for n in (0, 1, 4):
        assert described(native(x, N(n))) == described(numpy(x, N(n)))


def test_variables():
    """Loops over the values of Variables."""

    def results(engine):
        v, w = ag.Variable(1.5), ag.Variable(np.ones(3))

        def f(n):
            for i in range(n):
                v.assign(v * 1.5 + i)
                w.assign(w * 0.5 + v)
            return v * 1, w * 1

        g = ag.function(f, engine=engine)
        return [described(g(N(n))) for n in (0, 3, 4)]

    assert results("native") == results("numpy")


def test_copies_of_a_function(tmp_path):
    """A function with machine code can be pickled and saved."""
    native = ag.function(total, engine="native")
    expected = native(np.ones(3), N(5))
    assert pickle.loads(pickle.dumps(native))(np.ones(3), N(5)) == expected
    assert copy.deepcopy(native)(np.ones(3), N(5)) == expected


def test_the_switch_interval_is_restored():
    """While a region is compiled, threads take shorter turns; then they take the program's again."""
    default, seen = sys.getswitchinterval(), []

    def run(task):
        background.submit(task)
        background.wait_for_compilation()
        return sys.getswitchinterval()

    try:
        for interval in (default, 0.007301, 0.0001):
            sys.setswitchinterval(interval)
            own = sys.getswitchinterval()
            assert run(lambda: seen.append(sys.getswitchinterval())) == own
            assert seen.pop() == min(own, background.SWITCH_SECONDS)
        sys.setswitchinterval(default)
        assert run(lambda: sys.setswitchinterval(0.02)) == 0.02
    finally:
        sys.setswitchinterval(default)
