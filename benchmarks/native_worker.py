"""Run one measurement of `native.py` in a process of its own, and print its figures as JSON.

python native_worker.py start PROGRAM
python native_worker.py jax PROGRAM SECONDS
"""

# ruff: noqa: PLC0415 - each process imports what it measures

from __future__ import annotations

import json
import sys
import time
from typing import Any

import numpy as np
from figures import best
from native_programs import PROGRAMS, STATIC

import autograph_rs as ag

ROUNDS = 25  # short runs, between which a busy machine may turn to others
POLL = 0.002  # seconds between two questions whether loops are machine code
LIMIT = 5.0  # seconds that loops get to become machine code


def staged(name: str, engine: str) -> Any:
    """Return a function of arrays with unknown dimensions, over which loops are loops of its graph."""
    f, args = PROGRAMS[name]
    if name in STATIC:
        return ag.function(f, engine=engine)
    specs = [ag.TensorSpec((None,) * np.ndim(a), np.asarray(a).dtype) for a in args]
    return ag.function(f, input_signature=specs, engine=engine)


def is_settled(f: Any, *, whole: bool = False) -> bool:
    """Return whether each loop is machine code or stays in Python, and with `whole` the code around, too."""
    reports = [trace.engine_report() for trace in f.traces()]
    rows = [row for report in reports for row in report.regions]
    rows += [report.whole for report in reports if whole and report.whole is not None]
    return all(row.state != "waiting" for row in rows)


def start(name: str) -> dict[str, Any]:
    """Measure the trace, and the time from then on until the loops are machine code."""
    f, args = staged(name, "auto"), PROGRAMS[name][1]
    began = time.perf_counter()
    f.get_concrete_function(*args)
    traced = asked = time.perf_counter()
    while time.perf_counter() - traced < LIMIT:
        f(*args)
        if time.perf_counter() - asked > POLL:
            if is_settled(f):
                break
            asked = time.perf_counter()
    ready = time.perf_counter() - traced
    regions = f.traces()[0].engine_report().regions
    states = [r.state for r in regions]
    loaded = [r.from_cache for r in regions if r.state == "native"]
    return {"trace": traced - began, "ready": ready, "states": states, "loaded": loaded}


def on_jax(name: str, seconds: str) -> dict[str, Any]:
    """Measure a call of the function under `jax.jit`, with JAX arrays, or return why JAX refuses it."""
    import jax

    jax.config.update("jax_enable_x64", True)
    f, args = PROGRAMS[name]
    arrays = [jax.numpy.asarray(a) for a in args]
    try:
        compiled = jax.jit(ag.convert(f))
        results = jax.tree.leaves(compiled(*arrays))
    except Exception as error:
        return {"refused": f"{type(error).__name__}: {str(error).splitlines()[0]}"}
    expected = f(*args)
    for result, plain in zip(results, expected if isinstance(expected, tuple) else [expected], strict=True):
        np.testing.assert_allclose(np.asarray(result), plain, rtol=1e-6)
    each = float(seconds) / ROUNDS
    runs = (best(lambda: jax.block_until_ready(compiled(*arrays)), each) for _ in range(ROUNDS))
    return {"call": min(runs)}


MEASUREMENTS = {"start": start, "jax": on_jax}

if __name__ == "__main__":
    print(json.dumps(MEASUREMENTS[sys.argv[1]](*sys.argv[2:])))
