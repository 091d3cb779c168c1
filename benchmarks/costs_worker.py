"""Run one measurement of one system in its own process, for `costs.py`.

    python costs_worker.py MEASUREMENT SYSTEM

Prints a number. `MEASUREMENTS` lists the measurements.
"""

# ruff: noqa: PLC0415 - each process imports the system that it measures

from __future__ import annotations

import functools
import gc
import importlib
import importlib.util  # malt uses it without importing it
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import timeit
from collections.abc import Callable
from pathlib import Path
from typing import Any

LAYERS = 12
LAMBDAS = {"ours": 100_000, "malt": 1_000}
THREADS, FUNCTIONS = 16, 400
PLAIN_COMPILATIONS = 20  # take about as long as one conversion


def best(run: Callable[[], object], number: int, repeat: int = 7) -> float:
    """Return the seconds of one run: the best of several repetitions."""
    return min(timeit.repeat(run, number=number, repeat=repeat)) / number


# Calls -------------------------------------------------------------------------------------------


def add(x, y):
    return x + y


def caller(x):
    total = 0
    total = add(total, x)
    total = add(total, x)
    total = add(total, x)
    total = add(total, x)
    total = add(total, x)
    total = add(total, x)
    total = add(total, x)
    total = add(total, x)
    total = add(total, x)
    return add(total, x)


def call(system: str) -> float:
    """Return the extra microseconds of a repeated call, compared with plain Python."""
    made = _to_graph(system)(caller)
    made(1)
    number = 20_000 if system == "ours" else 500
    return 1e5 * (best(lambda: made(1), number) - best(lambda: caller(1), number))


def _to_graph(system: str) -> Callable[..., Any]:
    module = {"ours": "autograph_rs", "malt": "malt", "tf": "tensorflow.autograph"}[system]
    made: Callable[..., Any] = importlib.import_module(module).to_graph
    return made


# Warm calls, staged loops --------------------------------------------------------------------------


def expression(x, y):
    return x * y + x


def collatz(n):
    steps = 0
    while n != 1:
        if n % 2 == 0:
            n = n // 2
        else:
            n = 3 * n + 1
        steps += 1
    return steps


def first(system: str) -> float:
    """Return the milliseconds from import to the first converted result, with NumPy already loaded."""
    import numpy as np  # noqa: F401 - peers load it

    started = time.perf_counter()
    _to_graph(system)(collatz)(97)
    return 1e3 * (time.perf_counter() - started)


def warm(system: str) -> float:
    """Return the extra microseconds of a warm call, compared with the NumPy expression."""
    import numpy as np

    x, y = np.ones(3), np.ones(3)
    function, args = _staged(system, expression, (x, y))
    return 1e6 * (best(lambda: function(*args), 2000) - best(lambda: expression(x, y), 20_000))


def scalar_loop(system: str) -> float:
    """Return the microseconds per step of a scalar loop: Collatz from 97, with 118 steps."""
    import numpy as np

    function, args = _staged(system, collatz, (np.int64(97),))
    steps = int(function(*args))
    assert steps == 118
    return 1e6 * best(lambda: function(*args), 50) / steps


def _staged(system: str, function: Callable[..., Any], args: tuple[Any, ...]) -> tuple[Any, Any]:
    """Return a function as staged by a system, after one call, and its arguments in the system's types."""
    if system == "ours":
        import autograph_rs as ag

        made: Any = ag.function(function)
    elif system == "tf":
        import tensorflow as tf

        made, args = tf.function(function), tuple(map(tf.constant, args))
    else:
        import jax

        import autograph_rs as ag

        jax.config.update("jax_enable_x64", True)
        jitted = jax.jit(ag.convert(function))
        args = tuple(map(jax.numpy.asarray, args))

        def made(*given: Any) -> Any:
            return jitted(*given).block_until_ready()

    made(*args)
    return made, args


# Tracing -------------------------------------------------------------------------------------------


def trace(system: str) -> float:
    """Return the milliseconds to trace a step of a twelve-layer model with Python loops."""
    import jax
    import jax.numpy as jnp

    def attention(x, layer):
        q, k, v = (x @ layer[name] for name in ("q", "k", "v"))
        weights = jax.nn.softmax(q @ k.T / jnp.sqrt(q.shape[-1]))
        return weights @ v @ layer["o"]

    def norm(x, scale):
        centred = x - jnp.mean(x, axis=-1, keepdims=True)
        return scale * centred / jnp.sqrt(jnp.mean(centred**2, axis=-1, keepdims=True) + 1e-6)

    def model(x, layers):
        for i, layer in enumerate(layers):
            x = x + attention(norm(x, layer["scale"]), layer)
            if i % 2 == 0:
                x = x + jax.nn.relu(x @ layer["up"]) @ layer["down"]
            else:
                x = x + jax.nn.gelu(x @ layer["up"]) @ layer["down"]
        return jnp.sum(x**2)

    def shapes(*sizes: int) -> Any:
        return jax.ShapeDtypeStruct(sizes, jnp.float32)

    square = {name: shapes(64, 64) for name in ("q", "k", "v", "o")}
    layer = {**square, "scale": shapes(64), "up": shapes(64, 256), "down": shapes(256, 64)}
    step = jax.grad(model, argnums=1)
    if system == "ours":
        import autograph_rs as ag

        step = jax.grad(ag.convert(model), argnums=1)
    args = shapes(32, 64), [layer] * LAYERS
    jax.jit(step).trace(*args)  # conversion, and JAX's own first-time work
    times = []
    for _ in range(5):
        jax.clear_caches()
        started = time.perf_counter()
        jax.jit(functools.partial(step)).trace(*args)
        times.append(time.perf_counter() - started)
    return 1e3 * min(times)


# Memory ----------------------------------------------------------------------------------------------


def lambdas(system: str) -> float:
    """Return the bytes still in use per converted and dropped function, after the first thousand."""
    to_graph = _to_graph(system)
    count = LAMBDAS[system]
    with tempfile.TemporaryDirectory() as folder:
        sys.path.insert(0, folder)
        before = 0
        made = 0
        for batch in range(count // 100 + 10):
            if batch == 10:
                before = _resident()
            name = f"batch_{batch}"
            Path(folder, f"{name}.py").write_text(
                "".join(f"f{i} = lambda x: x + {made + i} if x > {i} else -x\n" for i in range(100))
            )
            module = importlib.import_module(name)
            for i in range(100):
                assert to_graph(getattr(module, f"f{i}"))(-1) == 1
            made += 100
            del sys.modules[name], module
            Path(folder, f"{name}.py").unlink()
            importlib.invalidate_caches()
        gc.collect()
        return (_resident() - before) / count


def _resident() -> int:
    gc.collect()
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * resource.getpagesize()


# Threads ---------------------------------------------------------------------------------------------


LINES = """
def f{}(x):
    for k in range({}):
        if x > k:
            x = x - {}
    return x
"""


def threads(system: str) -> float:
    """Return the ratio of functions converted and called per second by 16 threads to those by one thread.

    The plain system compiles the same lines repeatedly, for about the same time; its loss is the
    interpreter's own cost of threads.
    """
    import autograph_rs as ag

    def converted(function: Any) -> Any:
        return ag.to_graph(function)

    def compiled(function: Any) -> Any:
        for _ in range(PLAIN_COMPILATIONS):
            compile(LINES.format(1, 1, 1), "<plain>", "exec")
        return function

    make = compiled if system == "plain" else converted

    wrong: list[Any] = []

    def work(found: list[Any]) -> None:
        for function in found:
            made = make(function)
            wrong.extend(x for x in range(200) if made(x) != function(x))

    def rate(name: str, count: int) -> float:
        text = "".join(LINES.format(i, i % 100, i) for i in range(FUNCTIONS))
        Path(folder, f"{name}.py").write_text(text)
        importlib.invalidate_caches()
        module = importlib.import_module(name)
        found = [getattr(module, f"f{i}") for i in range(FUNCTIONS)]
        running = [threading.Thread(target=work, args=(found[k::count],)) for k in range(count)]
        started = time.perf_counter()
        for thread in running:
            thread.start()
        for thread in running:
            thread.join()
        assert not wrong
        return FUNCTIONS / (time.perf_counter() - started)

    with tempfile.TemporaryDirectory() as folder:
        sys.path.insert(0, folder)
        rate("warm", 1)
        ratios = [rate(f"many_{turn}", THREADS) / rate(f"one_{turn}", 1) for turn in range(5)]
        return statistics.median(ratios)


# The command line --------------------------------------------------------------------------------------


def command(_system: str) -> float:
    """Return the source lines of the standard library that one process converts per second."""
    source = Path(os.__file__).parent
    with tempfile.TemporaryDirectory() as folder:
        made = Path(folder, "made")
        started = time.perf_counter()
        done = subprocess.run(
            [Path(sys.executable).with_name("autograph-rs"), "convert", source, "--output", made,
             "--jobs", "1", "--exclude", "site-packages"],
            check=False, capture_output=True, text=True,
        )  # fmt: skip
        taken = time.perf_counter() - started
        files = [source / file.relative_to(made) for file in made.rglob("*.py")]
    assert len(files) > 500, done.stderr  # a few files of its tests are deliberately invalid
    return sum(file.read_bytes().count(b"\n") for file in files) / taken


MEASUREMENTS: dict[str, Callable[[str], float]] = {
    function.__name__: function
    for function in (call, first, warm, scalar_loop, trace, lambdas, threads, command)
}

if __name__ == "__main__":
    print(MEASUREMENTS[sys.argv[1]](sys.argv[2]))
