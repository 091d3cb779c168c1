"""The programs of `workloads.py` in PyTorch, with control flow written by hand.

Exported programs are called both directly and compiled, and functions are compiled whole by `torch.compile`.
PyTorch 2.13 cannot compile a `scan` for a CPU, so these have a `while_loop` by hand, as ours do.
PyTorch's loop bodies take and return tensors only, and must not return an input.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import torch
from torch._higher_order_ops import scan, while_loop  # the variants that export supports
from torch.utils._pytree import tree_map  # the pytree functions that export uses
from workloads import BEAMS, MOVES, WORKLOADS


def collatz(n):
    def body(n, steps):
        n = torch.cond(n % 2 == 0, lambda n: n // 2, lambda n: 3 * n + 1, (n,))
        return n, steps + 1

    return while_loop(lambda n, _: n != 1, body, (n, torch.zeros((), dtype=torch.int64)))[1]


def clipped_walk(xs, state):
    def body(state, x):
        state = 0.9 * state + x
        state = torch.cond(state.sum() > 0, torch.tanh, lambda state: state * 0.5, (state,))
        return state, torch.zeros(())

    return scan(body, state, xs)[0]


def rnn(xs, hidden, w_in, w_hidden):
    def body(hidden, x):
        return torch.tanh(torch.matmul(x, w_in) + torch.matmul(hidden, w_hidden)), torch.zeros(())

    return scan(body, hidden, xs)[0]


def clipped_walk_by_while(xs, state):
    def body(i, state):
        state = 0.9 * state + torch.index_select(xs, 0, i.reshape(1))[0]
        state = torch.cond(state.sum() > 0, torch.tanh, lambda state: state * 0.5, (state,))
        return i + 1, state

    start = torch.zeros((), dtype=torch.int64), state.clone()
    return while_loop(lambda i, _: i < len(xs), body, start)[1]


def rnn_by_while(xs, hidden, w_in, w_hidden):
    def body(i, hidden):
        x = torch.index_select(xs, 0, i.reshape(1))[0]
        return i + 1, torch.tanh(torch.matmul(x, w_in) + torch.matmul(hidden, w_hidden))

    start = torch.zeros((), dtype=torch.int64), hidden.clone()
    return while_loop(lambda i, _: i < len(xs), body, start)[1]


def newton(a, tolerance):
    def goes_on(i, _, done):
        return (i < 100) & ~done

    def body(i, x, _):
        step = (x * x - a) / (2.0 * x)
        return i + 1, x - step, step.abs() < tolerance

    start = torch.zeros((), dtype=torch.int64), a.clone(), torch.zeros((), dtype=torch.bool)
    return while_loop(goes_on, body, start)[1]


def beam_search(moves, emissions, scores, places, margin):
    def goes_on(i, _scores, _places, done):
        return (i < len(emissions)) & ~done

    def body(i, scores, places, _):
        emission = torch.index_select(emissions, 0, i.reshape(1))[0]
        paths = scores.unsqueeze(1) + torch.index_select(moves, 0, places) + emission
        paths = torch.reshape(paths, (-1,))
        order = torch.argsort(-paths)[:BEAMS]
        scores = torch.index_select(paths, 0, order)
        return i + 1, scores, order % MOVES, scores[0] - scores[BEAMS - 1] > margin

    start = torch.zeros((), dtype=torch.int64), scores.clone(), places.clone()
    return while_loop(goes_on, body, (*start, torch.zeros((), dtype=torch.bool)))[1:3]


BY_HAND = dict(zip(WORKLOADS, (collatz, clipped_walk, rnn, newton, beam_search), strict=True))


_BY_WHILE: dict[Any, Callable[..., Any]] = {clipped_walk: clipped_walk_by_while, rnn: rnn_by_while}


class _Module(torch.nn.Module):
    def __init__(self, f: Callable[..., Any]):
        super().__init__()
        self.f = f

    def forward(self, *given: Any) -> Any:
        return self.f(*given)


def arguments(given: tuple[Any, ...]) -> tuple[Any, ...]:
    """Convert arguments to tensors, with 64-bit integers like PyTorch's indices."""
    return tuple(torch.tensor(a, dtype=torch.int64 if a.dtype.kind == "i" else None) for a in given)


def exported(f: Callable[..., Any], given: tuple[Any, ...], *, compiles: bool = False) -> Callable[[], Any]:
    """Return a function that calls the exported program. The first call exports it."""
    made: list[Any] = []

    def call() -> Any:
        if not made:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                program = torch.export.export(_Module(f), given, strict=False).module()
            made.append(torch.compile(program) if compiles else program)
        return made[0](*given)

    return call


def compiled(f: Callable[..., Any], given: tuple[Any, ...]) -> Callable[[], Any]:
    """Return a function that calls a function compiled whole. The first call compiles it."""
    return partial(torch.compile(_BY_WHILE.get(f, f), fullgraph=True), *given)


def as_numpy(results: Any) -> Any:
    return tree_map(np.asarray, results)


MODES = {
    "torch.export": exported,
    "torch.export and torch.compile": partial(exported, compiles=True),
    "torch.compile": compiled,
}
