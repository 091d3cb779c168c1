"""Tensors that are not on the CPU: what staging adds to a program follows them.

Programs are traced with tensors on the device "meta", which has no data, because a GPU is rarely at hand.
Where there is one, they also run on it.
"""

from __future__ import annotations

import numpy as np
import pytest
from support import required

torch = required("torch")

from torch.fx.experimental.proxy_tensor import make_fx  # noqa: E402

import autograph_rs as ag  # noqa: E402

xs = np.array([3.0, 1.0, 2.0], np.float32)


def total(xs):
    s = 0.0
    for x in xs:
        if x > 1.5:
            s += x
    return s


def first_above(xs):
    found = -1
    for i, x in enumerate(xs):
        if x > 2.5:
            found = i
            break
    return found


def doubled(xs):
    made = []
    for x in xs:
        made.append(x * 2)  # noqa: PERF401 - what is tested
    return made


def at_a_staged_index(xs):
    i = torch.argmax(xs)
    return xs[i] + [xs[0], 5.0, xs[2]][i] + np.array([1.0, 2.0, 4.0], np.float32)[i]


def sorted_in_place(xs):
    xs = xs.clone()
    for i in range(len(xs)):
        for j in range(len(xs) - 1 - i):
            if xs[j] > xs[j + 1]:
                xs[j], xs[j + 1] = xs[j + 1], xs[j]
    return xs


def written_while_counting(xs):
    xs, i = xs.clone(), 0
    while i < len(xs) and xs[i] > 0:
        xs[i] = 7
        i += 1
    return xs, i


def is_among(xs):
    if xs[0] in [1.0, 2.0, xs[1] + 2]:
        return xs + 1
    return xs


def numpy_arrays_join(xs):
    return np.dot(xs, np.ones(3, np.float32)) + np.sum(xs)


def greatest(xs):
    best = None
    for x in xs:
        if best is None or x > best:
            best = x
    return best


def until_small(xs):
    steps = 0
    while torch.sum(xs) > 1:
        xs = xs / 2
        steps += 1
    return xs, steps


def chosen_number(xs):
    scale = 2.0
    if torch.sum(xs) > 1:
        scale = 3.0
    return xs * scale


FUNCTIONS = [
    total, first_above, doubled, at_a_staged_index, sorted_in_place, written_while_counting, is_among,
    numpy_arrays_join, greatest, until_small, chosen_number,
]  # fmt: skip


RUN_ON = ["cpu", "cuda"] if torch.cuda.is_available() else ["cpu"]


def leaves(results):
    return [torch.as_tensor(leaf).cpu() for leaf in torch.utils._pytree.tree_leaves(results)]


@pytest.mark.parametrize("f", FUNCTIONS)
def test_what_is_staged_follows_the_tensors(f):
    """Off the CPU, no operation of the program meets tensors of two devices."""
    make_fx(ag.convert(f), tracing_mode="fake")(torch.tensor(xs, device="meta"))


@pytest.mark.parametrize("device", RUN_ON)
@pytest.mark.parametrize("f", FUNCTIONS)
def test_programs_run(f, device):
    given = torch.tensor(xs, device=device)
    program = make_fx(ag.convert(f), tracing_mode="fake")(given)
    expected = f(xs if f is numpy_arrays_join else torch.tensor(xs))
    for a, b in zip(leaves(program(given)), leaves(expected), strict=True):
        assert np.allclose(a, b)


def three_zeros(x):
    return x + torch.zeros(3)


def test_the_default_device_holds_inside_torch_compile():
    """It is set for the process, or around the call."""

    def device_of_result():
        torch.compiler.reset()
        compiled = torch.compile(ag.convert(three_zeros), fullgraph=True, backend="eager")
        return compiled(torch.ones(3, device="meta")).device.type

    with torch.device("meta"):
        assert device_of_result() == "meta"
    torch.set_default_device("meta")
    try:
        assert device_of_result() == "meta"
    finally:
        torch.set_default_device(None)
