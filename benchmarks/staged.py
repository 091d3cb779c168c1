"""Compare functions run as graphs with plain NumPy, tf.function, XLA and jax.jit, in one process.

    python benchmarks/staged.py [--seconds S]

Prints, for each workload, the microseconds per warm call (the best of several alternating runs), the ratio to
plain NumPy, and the milliseconds of the first call. Our graphs run on the engine "auto", and on "numpy" only.
Systems that are not installed are skipped.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "-1")
sys.path.insert(0, str(Path(__file__).resolve().parent))

import staged_jax
import staged_tensorflow
from figures import best, number, table

import autograph_rs as ag

RNG = np.random.default_rng(0)
ROUNDS = 8


def tiny(x, y):
    return x * y + x


def products(a, b):
    """Multiply small integer matrices a hundred times."""
    total = np.zeros_like(a)
    for _ in range(100):
        total = total + a @ b
    return total


def chain(x):
    """Multiply a chain of large matrices."""
    y = x
    for _ in range(10):
        y = (y @ x) * 1e-3
    return y


def convolution(x, k):
    """Run one large operation."""
    return np.convolve(x, k)


def collatz(n):
    count = 0
    while n != 1:
        if n % 2 == 0:
            n = n // 2
        else:
            n = 3 * n + 1
        count += 1
    return count


def fizzbuzz(n):
    total = 0
    for i in range(1, n + 1):
        if i % 15 == 0:
            total += 15
        elif i % 3 == 0:
            total += 3
        elif i % 5 == 0:
            total += 5
        else:
            total += i
    return total


def shrink(x):
    while np.sum(x) > 1:
        x = np.tanh(x)
    return x


def rnn(inputs, weights, state):
    states = []
    for i in range(inputs.shape[0]):
        state = np.tanh(inputs[i] @ weights + state)
        states.append(state)
    return np.stack(states)


X = RNG.random((1000, 1000))
WORKLOADS: dict[str, tuple[Callable[..., Any], tuple[Any, ...]]] = {
    "tiny": (tiny, (np.ones(3), np.ones(3))),
    "100 products": (products, (RNG.integers(0, 9, (10, 10)), RNG.integers(0, 9, (10, 10)))),
    "chain": (chain, (X,)),
    "convolution": (convolution, (RNG.random(100_000), RNG.random(300))),
    "Collatz(27)": (collatz, (np.int64(27),)),
    "FizzBuzz(1000)": (fizzbuzz, (np.int64(1000),)),
    "tanh until small": (shrink, (RNG.random(10),)),
    "RNN": (rnn, (RNG.random((100, 8, 16)), RNG.random((16, 16)), np.zeros((8, 16)))),
}


def plain(name: str) -> Callable[..., Any]:
    return WORKLOADS[name][0]


def ours(name: str, engine: str = "auto") -> Callable[..., Any]:
    f, args = WORKLOADS[name]
    made = ag.function(f, engine=engine)
    if name == "RNN":  # keep the loop a loop, as in the other systems' versions
        specs = [ag.TensorSpec((None, 8, 16)), *(ag.TensorSpec(a.shape, a.dtype) for a in args[1:])]
        made = ag.function(f, engine=engine, input_signature=specs)
    return made


COLUMNS: dict[str, Callable[[str], Callable[..., Any] | None]] = {
    "NumPy": plain,
    "ours": ours,
    "engine 'numpy'": lambda name: ours(name, "numpy"),
    "tf.function": staged_tensorflow.graph,
    "tf.function, XLA": staged_tensorflow.xla,
    "jax.jit": staged_jax.jit,
}


def measured(name: str, seconds: float) -> dict[str, tuple[float, float]]:
    """Return the seconds of the first call and of a warm one, for each column that supports the workload."""
    args = WORKLOADS[name][1]
    expected = plain(name)(*args)
    calls: dict[str, Callable[[], Any]] = {}
    first = {}
    for column, make in COLUMNS.items():
        f = make(name)
        if f is None:
            continue
        given = staged_tensorflow.tensors(args) if column.startswith("tf") else args
        if column == "jax.jit":
            given = staged_jax.arrays(args)

        def call(f: Callable[..., Any] = f, given: Any = given) -> Any:
            made = f(*given)
            return made.block_until_ready() if hasattr(made, "block_until_ready") else made

        start = time.perf_counter()
        result = call()
        first[column] = time.perf_counter() - start
        np.testing.assert_allclose(np.asarray(result), expected, rtol=1e-4)
        calls[column] = call
    warm = {column: float("inf") for column in calls}
    for _ in range(ROUNDS):
        for column, call in calls.items():
            warm[column] = min(warm[column], best(call, seconds / ROUNDS))
    return {column: (first[column], warm[column]) for column in calls}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=0.5, help="approximate time per figure")
    options = parser.parse_args()
    figures = {name: measured(name, options.seconds) for name in WORKLOADS}
    for title, place, unit in (("warm call, us", 1, 1e6), ("first call, ms", 0, 1e3)):
        rows = []
        for name, found in figures.items():
            reference = found["NumPy"][1]
            cells = []
            for column in COLUMNS:
                if column not in found:
                    cells.append("-")
                    continue
                value = found[column][place]
                ratio = f" ({value / reference:.2f}x)" if place == 1 else ""
                cells.append(number(value * unit) + ratio)
            rows.append([name, *cells])
        print(table([title, *COLUMNS], rows))
        print()
    print("The first call on engine 'numpy' reuses the conversion of ours; native.py compares them alone.")


if __name__ == "__main__":
    main()
