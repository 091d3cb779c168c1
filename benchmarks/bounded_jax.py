"""Compare arrays of staged length on JAX with masks and buffers written by hand.

    python benchmarks/bounded_jax.py [--rounds N]

JAX compiles both programs, and calls alternate between them. The output shows the medians of warm calls and
the median ratio of neighboring calls.
"""

from __future__ import annotations

import argparse
import inspect
import sys
from collections.abc import Callable
from typing import Any

import jax.numpy as jnp
import numpy as np
from backends import alternating, same
from backends_jax import compiled
from figures import Sample, geometric_mean, number, table
from jax import lax

import autograph_rs as ag

SIZE = 1000


def part(xs, ws, n):
    return (xs[:n] * ws[:n]).sum() / np.sqrt((xs[:n] ** 2).sum())


def part_by_hand(xs, ws, n):
    mask = jnp.arange(SIZE) < n
    return jnp.sum(xs * ws, where=mask) / jnp.sqrt(jnp.sum(xs**2, where=mask))


def positive(xs):
    found = np.zeros(0, np.float32)
    for x in xs:
        ag.set_loop_options(maximum_size=SIZE)
        if x > 0:
            found = np.append(found, x)
    return found.sum()


def positive_by_hand(xs):
    def body(state, x):
        found, count = state
        found = found.at[jnp.where(x > 0, count, SIZE)].set(x, mode="drop")
        return (found, count + (x > 0)), None

    found, count = lax.scan(body, (jnp.zeros(SIZE, jnp.float32), 0), xs)[0]
    return jnp.sum(found, where=jnp.arange(SIZE) < count)


def digits(n):
    found = []
    while n > 0:
        ag.set_loop_options(maximum_size=SIZE)
        found.append(n % 3)
        n -= 1
    return sum(found)


def digits_by_hand(n):
    def body(state):
        n, found, count = state
        return n - 1, found.at[count].set(n % 3, mode="drop"), count + 1

    _, found, count = lax.while_loop(lambda state: state[0] > 0, body, (n, jnp.zeros(SIZE, n.dtype), 0))
    return jnp.sum(found, where=jnp.arange(SIZE) < count)


def chosen(xs):
    some = xs[xs > 0]
    return some.max() - some.mean()


def chosen_by_hand(xs):
    mask = xs > 0
    return jnp.max(jnp.where(mask, xs, -jnp.inf)) - jnp.mean(xs, where=mask)


PAIRS: dict[str, tuple[Callable[..., Any], Callable[..., Any]]] = {
    "products of a slice": (part, part_by_hand),
    "append if positive": (positive, positive_by_hand),
    "list in a while": (digits, digits_by_hand),
    "items of a mask": (chosen, chosen_by_hand),
}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=31, help="pairs of measurements (default: 31)")
    rounds = parser.parse_args().rounds
    rng = np.random.default_rng(0)
    xs, ws = (jnp.asarray(rng.standard_normal(SIZE), jnp.float32) for _ in range(2))
    values = {"xs": xs, "ws": ws, "n": jnp.asarray(SIZE // 2)}
    rows, ratios = [], []
    for name, programs in PAIRS.items():
        arguments = tuple(values[name] for name in inspect.signature(programs[1]).parameters)
        ours, by_hand = (compiled(program, arguments) for program in (ag.convert(programs[0]), programs[1]))
        if not same([np.asarray(ours())], [np.asarray(by_hand())]):
            sys.exit(f"{name}: the results differ")
        first, second = alternating((ours, by_hand), rounds)
        ratios.append(Sample(a / b for a, b in zip(first, second, strict=True)).median)
        calls = [number(1e6 * sample.median) for sample in (first, second)]
        rows.append([name, *calls, f"{ratios[-1]:.2f}"])
    rows.append(["geometric mean", "", "", f"{geometric_mean(ratios):.2f}"])
    print(table([f"{SIZE} items", "converted, us", "by hand, us", "ratio"], rows))


if __name__ == "__main__":
    main()
