"""Compare gradients with HIPS/autograd on plain loops, tf.GradientTape in tf.function, and jax.jit(jax.grad).

    python benchmarks/gradients.py [--seconds S]

Prints, for each workload, the microseconds per warm call of the function without and with its gradient (the
best of several alternating runs), and their ratio. Systems that are not installed are skipped, and so is JAX
for loops whose end depends on data, which it cannot differentiate.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "-1")
sys.path.insert(0, str(Path(__file__).resolve().parent))

from figures import best, number, table

import autograph_rs as ag

try:
    import autograd
    import autograd.numpy
except ImportError:
    autograd = None
try:
    import tensorflow as tf
    import tensorflow.experimental.numpy as tnp
except ImportError:
    tf = None
try:
    import jax
    import jax.numpy as jnp

    jax.config.update("jax_enable_x64", True)
except ImportError:
    jax = None

Calls = tuple[Callable[..., Any], Callable[..., Any]]
"""A function, and another that returns its value and its gradients with respect to all arguments."""

RNG = np.random.default_rng(0)
STATES, INPUTS = 32, 8


def workloads(np: Any) -> dict[str, Callable[..., Any]]:
    """Return the functions as a user writes them, with NumPy or a module that replaces it."""

    def rnn(w, u, xs):
        h = np.zeros(STATES)
        for x in xs:
            h = np.tanh(w @ h + u @ x)
        return np.sum(h * h)

    def newton(a):
        x = a
        while np.abs(x * x - a) > 1e-9:
            x = 0.5 * (x + a / x)
        return x

    def network(w1, b1, w2, b2, w3, b3, x, y):
        h = np.tanh(x @ w1 + b1)
        h = np.tanh(h @ w2 + b2)
        return np.mean((h @ w3 + b3 - y) ** 2)

    return {"RNN, 200 steps": rnn, "Newton": newton, "3 layers, 1,000 rows": network}


ARGUMENTS: dict[str, tuple[Any, ...]] = {
    "RNN, 200 steps": (
        0.1 * RNG.normal(size=(STATES, STATES)),
        RNG.normal(size=(STATES, INPUTS)),
        RNG.normal(size=(200, INPUTS)),
    ),
    "Newton": (np.float64(1e4),),
    "3 layers, 1,000 rows": tuple(
        RNG.normal(size=shape)
        for shape in ((20, 64), (64,), (64, 64), (64,), (64, 3), (3,), (1000, 20), (1000, 3))
    ),
}  # fmt: skip
SOURCES = {"RNN, 200 steps": 2, "Newton": 1, "3 layers, 1,000 rows": 6}


def ours(name: str) -> Calls:
    f = workloads(np)[name]
    return ag.function(f), ag.value_and_grad(f, range(SOURCES[name]))


def by_autograd(name: str) -> Calls | None:
    if autograd is None:
        return None
    f = workloads(autograd.numpy)[name]
    return f, autograd.value_and_grad(f, tuple(range(SOURCES[name])))


def by_tensorflow(name: str) -> Calls | None:
    if tf is None:
        return None

    @tf.function
    def rnn(w, u, xs):
        h = tf.zeros(STATES, tf.float64)
        for x in xs:
            h = tf.tanh(tf.linalg.matvec(w, h) + tf.linalg.matvec(u, x))
        return tf.reduce_sum(h * h)

    f = rnn if name.startswith("RNN") else tf.function(workloads(tnp)[name])

    @tf.function
    def gradient(*args):
        with tf.GradientTape() as tape:
            tape.watch(args)
            value = f(*args)
        return value, tape.gradient(value, args[: SOURCES[name]])

    args = [tf.constant(a) for a in ARGUMENTS[name]]
    return lambda *_: f(*args), lambda *_: gradient(*args)


def by_jax(name: str) -> Calls | None:
    if jax is None or name == "Newton":
        return None

    def rnn(w, u, xs):
        h, _ = jax.lax.scan(lambda h, x: (jnp.tanh(w @ h + u @ x), None), jnp.zeros(STATES), xs)
        return jnp.sum(h * h)

    f = rnn if name.startswith("RNN") else workloads(jnp)[name]
    run, gradient = jax.jit(f), jax.jit(jax.value_and_grad(f, tuple(range(SOURCES[name]))))
    args = [jnp.asarray(a) for a in ARGUMENTS[name]]
    return lambda *_: run(*args).block_until_ready(), lambda *_: jax.block_until_ready(gradient(*args))


COLUMNS: dict[str, Callable[[str], Calls | None]] = {
    "ours": ours, "autograd": by_autograd, "tf.function": by_tensorflow, "jax.jit": by_jax
}  # fmt: skip


def measured(name: str, seconds: float) -> dict[str, tuple[float, float]]:
    """Return seconds per call without and with the gradient, for each column that supports the workload."""
    args = ARGUMENTS[name]
    value, gradients = ours(name)[1](*args)
    calls = {}
    for column, make in COLUMNS.items():
        made = make(name)
        if made is None:
            continue
        same, found = made[1](*args)
        np.testing.assert_allclose(np.asarray(same), value, rtol=1e-6)
        for theirs, own in zip(found, gradients, strict=True):
            np.testing.assert_allclose(np.asarray(theirs), own, rtol=1e-6, atol=1e-9)
        calls[column] = made
    times = {column: (float("inf"), float("inf")) for column in calls}
    for _ in range(2):
        for column, made in calls.items():
            run = [
                min(t, best(lambda f=f: f(*args), seconds)) for t, f in zip(times[column], made, strict=True)
            ]
            times[column] = run[0], run[1]
    return times


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=0.5, help="approximate time per figure")
    options = parser.parse_args()
    rows = []
    for name in ARGUMENTS:
        found = measured(name, options.seconds)
        for column, (once, both) in found.items():
            theirs = number(both / found["ours"][1]) + "x"
            rows.append(
                (name, column, number(once * 1e6), number(both * 1e6), number(both / once) + "x", theirs)
            )
    head = "workload", "", "value, us", "and gradient, us", "of the value", "of ours"
    print(table(head, rows))


if __name__ == "__main__":
    main()
