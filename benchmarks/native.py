"""Compare loops in machine code with plain Python, the engine "numpy", Numba and JAX.

    python benchmarks/native.py [--seconds S] [--limit SECONDS]

Prints, for each function, the microseconds per warm call (the best of several runs), and the ratios of our
time to those of Numba and JAX. The target is 1.3 times Numba's time plus 1.5 us for the call. Then come the
first calls; for fresh processes the trace, and the time from its end until loops are machine code, with an
empty and with a filled cache; and the throughput of two threads. JAX runs in processes of its own, too: it
knows the lengths of arrays and unrolls loops over them, which may take longer than the limit.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import threading
import time
import types
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
from figures import best, geometric_mean, number, table
from native_programs import PROGRAMS
from native_worker import ROUNDS, is_settled, staged

from autograph_rs.runtime.graph.native.background import wait_for_compilation

try:
    import numba
except ImportError:
    numba = None

WORKER = Path(__file__).with_name("native_worker.py")
ALLOWED, CALL = 1.3, 1.5e-6  # times Numba's time, and seconds for the call
FIRST_CALLS, FEWEST_FIRST_CALLS, COLD_STARTS, STARTS = 300, 3, 3, 7
LONGEST_MEASUREMENT = 20.0  # seconds of first calls
LONGEST_FIRST, LONGEST_COMPILED, LONGEST_LOADED = 1.1, 1.5, 0.05  # times "numpy", seconds, seconds
THREADED = "N-body, 1000 steps", "Mandelbrot 200x200"  # calls of some 60 us and of some ms
THREAD_ROUNDS = 41


def worker(*arguments: str, limit: float, cache: str = "off") -> dict[str, Any]:
    """Return the figures of a process, or `{"refused": why}` if it fails or exceeds the limit."""
    environment = os.environ | {"AUTOGRAPH_RS_CACHE": cache}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)  # or each process compiles the package again
    command = [sys.executable, str(WORKER), *arguments]
    try:
        done = subprocess.run(
            command, env=environment, capture_output=True, text=True, check=True, timeout=limit
        )
    except subprocess.TimeoutExpired:
        return {"refused": f"no result within {limit:.0f} s"}
    except subprocess.CalledProcessError as error:
        return {"refused": error.stderr.strip().splitlines()[-1]}
    figures: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return figures


def check(name: str, result: Any, expected: Any, tolerance: float) -> None:
    """Raise if a system computes something else than plain Python does."""
    results, plain = (r if isinstance(r, tuple) else (r,) for r in (result, expected))
    for value, reference in zip(results, plain, strict=True):
        np.testing.assert_allclose(value, reference, rtol=tolerance, err_msg=name)


# Warm calls ---------------------------------------------------------------------------------------


def settled(name: str) -> Any:
    """Return the function on the engine "auto", called until its loops are machine code or stay in Python."""
    f, args = staged(name, "auto"), PROGRAMS[name][1]
    end = time.perf_counter() + 5
    f(*args)
    for whole in (False, True):
        while not is_settled(f, whole=whole) and time.perf_counter() < end:
            f(*args)
        for _ in range(300):  # the calls that decide whether machine code pays
            f(*args)
    return f


def warm_calls(name: str, seconds: float, limit: float, refusals: list[str]) -> dict[str, float]:
    """Return the seconds of a call in each system that runs the function."""
    f, args = PROGRAMS[name]
    expected = f(*args)
    systems: dict[str, Callable[..., Any]] = {
        "Python": f,
        "numpy": staged(name, "numpy"),
        "auto": settled(name),
    }
    for system, call in systems.items():
        check(f"{name} in {system}", call(*args), expected, 1e-12)
    if numba is not None:
        compiled = with_numba(f)
        try:
            check(f"{name} in Numba", compiled(*args), expected, 1e-9)
            systems["Numba"] = compiled
        except numba.core.errors.NumbaError as error:
            refusals.append(f"Numba refuses {name}: {reason(error)}")
    times = dict.fromkeys(systems, float("inf"))
    spent = dict.fromkeys(systems, 0.0)
    for _ in range(ROUNDS):  # in turn, as a processor's speed changes over time
        for system, call in systems.items():
            if spent[system] < 4 * seconds:  # long calls are measured less often
                started = time.perf_counter()
                taken = best(lambda call=call: call(*args), seconds / ROUNDS)
                times[system] = min(times[system], taken)
                spent[system] += time.perf_counter() - started
    jax = worker("jax", name, str(seconds), limit=limit)
    if "call" in jax:
        times["JAX"] = jax["call"]
    else:
        refusals.append(f"JAX refuses {name}: {jax['refused']}")
    return times


def with_numba(f: Callable[..., Any]) -> Any:
    """Compile a function with Numba, and the functions of its module that it calls."""
    names = {name: f.__globals__.get(name) for name in f.__code__.co_names}
    callees = {name: numba.njit(g) for name, g in names.items() if isinstance(g, types.FunctionType)}
    known = f.__globals__ | callees
    return numba.njit(types.FunctionType(f.__code__, known, f.__name__, f.__defaults__))


def reason(error: Exception) -> str:
    """Return the line of one of Numba's errors that names the cause."""
    plain = re.sub(r"\x1b\[[0-9;]*m", "", str(error))  # without colors
    lines = [line.strip() for line in plain.splitlines() if line.strip()]
    causes = ("No ", "Unknown", "Use of", "Invalid", "Cannot", "got an", "array(", "TypingError")
    return next((line for line in lines if line.startswith(causes)), lines[0])


def warm_table(figures: dict[str, dict[str, float]]) -> Iterator[str]:
    systems = ["Python", "numpy", "auto", "Numba", "JAX"]
    rows = []
    ratios: dict[str, list[float]] = {"Numba": [], "JAX": []}
    missed = []
    for name, times in figures.items():
        cells = [number(1e6 * times[s]) if s in times else "refused" for s in systems]
        for peer, found in ratios.items():
            if peer in times:
                found.append(times["auto"] / times[peer])
            cells.append(f"{times['auto'] / times[peer]:.2f}" if peer in times else "-")
        if "Numba" in times and times["auto"] > ALLOWED * times["Numba"] + CALL:
            missed.append(name)
        rows.append([name, *cells])
    yield table(["warm call, us", *systems, "/Numba", "/JAX"], rows)
    for peer, found in ratios.items():
        if found:
            yield f"geometric mean of the ratios to {peer}: {geometric_mean(found):.2f}"
    speedups = [times["numpy"] / times["auto"] for times in figures.values()]
    yield f"geometric mean of the ratios of engine 'numpy' to 'auto': {geometric_mean(speedups):.2f}"
    yield f"more than {ALLOWED} times Numba's time plus {1e6 * CALL} us: {', '.join(missed) or 'none'}"
    slower = [name for name, times in figures.items() if times["auto"] > times.get("JAX", float("inf"))]
    yield f"slower than JAX: {', '.join(slower) or 'none'}"


# Starts -------------------------------------------------------------------------------------------


def first_calls(name: str) -> dict[str, float]:
    """Return the seconds of the first call on each engine, the best of several alternating runs."""
    times = {"numpy": float("inf"), "auto": float("inf")}
    end = time.perf_counter() + LONGEST_MEASUREMENT
    for done in range(FIRST_CALLS):
        if done >= FEWEST_FIRST_CALLS and time.perf_counter() > end:
            break
        for engine, known in times.items():
            f = staged(name, engine)
            started = time.perf_counter()
            f(*PROGRAMS[name][1])
            times[engine] = min(known, time.perf_counter() - started)
            wait_for_compilation()  # which takes time from later calls
    return times


def start_figures(name: str) -> dict[str, Any]:
    """Return the figures of fresh processes: the best of those with an empty cache, and of later ones."""
    with tempfile.TemporaryDirectory() as folder:

        def ready(cache: str) -> dict[str, Any]:
            return worker("start", name, limit=120, cache=f"{folder}/{cache}")

        cold = [ready(f"cache{i}") for i in range(COLD_STARTS)]
        later = [ready("cache0") for _ in range(STARTS)]
    for runs, from_cache in ((cold, False), (later, True)):
        for run in runs:
            if not run["loaded"] or any(loaded is not from_cache for loaded in run["loaded"]):
                run["ready"] = float("inf")
    states = cold[0]["states"]
    return first_calls(name) | {
        "trace": min(run["trace"] for run in later),
        "compiled": min(run["ready"] for run in cold),
        "loaded": min(run["ready"] for run in later),
        "states": ", ".join(f"{states.count(s)} {s}" for s in dict.fromkeys(states)),
    }


def starts() -> Iterator[str]:
    found = {name: start_figures(name) for name in PROGRAMS}
    rows = [
        [
            name,
            *(number(1e3 * f[engine]) for engine in ("numpy", "auto")),
            f"{f['auto'] / f['numpy']:.2f}",
            *(number(1e3 * f[step]) for step in ("trace", "compiled", "loaded")),
            f["states"],
        ]
        for name, f in found.items()
    ]
    heads = ["ms", "first, numpy", "first, auto", "ratio", "trace", "machine code", "from cache", "regions"]
    yield table(heads, rows)
    slow = {
        f"first calls of more than {LONGEST_FIRST} times those on NumPy": [
            name for name, f in found.items() if f["auto"] > LONGEST_FIRST * f["numpy"]
        ],
        f"machine code after more than {LONGEST_COMPILED} s": [
            name for name, f in found.items() if f["compiled"] > LONGEST_COMPILED
        ],
        f"from the cache after more than {1e3 * LONGEST_LOADED:.0f} ms": [
            name for name, f in found.items() if f["loaded"] > LONGEST_LOADED
        ],
    }
    yield from (f"{what}: {', '.join(names) or 'none'}" for what, names in slow.items())


# Threads ------------------------------------------------------------------------------------------


def thread_gains(name: str, seconds: float) -> dict[str, float]:
    """Return the throughput of two threads over that of one, here and in Numba without the GIL.

    It is the median of many short rounds, as the speed of two processors changes over time.
    """
    f, args = PROGRAMS[name]
    systems: dict[str, Callable[..., Any]] = {"here": settled(name)}
    if numba is not None:
        systems["Numba"] = numba.njit(nogil=True)(f)
    gains: dict[str, list[float]] = {system: [] for system in systems}
    for _ in range(THREAD_ROUNDS):
        for system, call in systems.items():
            calls = max(4, int(seconds / 5 / best(lambda call=call: call(*args), 0.02)))
            one, two = (elapsed(call, args, calls, count) for count in (1, 2))
            gains[system].append(2 * one / two)
    return {system: median(rounds) for system, rounds in gains.items()}


def elapsed(call: Callable[..., Any], args: Sequence[Any], calls: int, count: int) -> float:
    """Return the seconds that `count` threads take, each for so many calls."""

    def run() -> None:
        for _ in range(calls):
            call(*args)

    threads = [threading.Thread(target=run) for _ in range(count)]
    started = time.perf_counter()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return time.perf_counter() - started


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--seconds", type=float, default=0.5, help="approximate time per figure")
    parser.add_argument("--limit", type=float, default=60, help="seconds after which JAX's process is ended")
    options = parser.parse_args()
    refusals: list[str] = []
    figures = {name: warm_calls(name, options.seconds, options.limit, refusals) for name in PROGRAMS}
    print("\n".join([*warm_table(figures), *refusals, ""]))
    print("\n".join([*starts(), ""]))
    for name in THREADED:
        gains = thread_gains(name, options.seconds)
        each = ", ".join(f"{system} {gain:.2f}" for system, gain in gains.items())
        print(f"throughput of two threads over one, {name}: {each}")


if __name__ == "__main__":
    main()
