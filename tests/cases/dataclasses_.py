"""Dataclasses that are not frozen, and of which a branch or loop makes another one."""

import dataclasses
from typing import Any

from autograph_rs.testing import samples


@dataclasses.dataclass
class State:
    """State that a loop carries."""

    x: Any
    steps: Any = 0

    def next(self, factor):
        return State(self.x * factor, self.steps + 1)


@dataclasses.dataclass(slots=True)
class Pair:
    """Without a dict of attributes."""

    state: State
    bias: Any


@samples((1.0, 5), (2.0, 0))
def made_in_a_loop(x, k):
    state = State(x)
    while state.steps < k:
        state = State(state.x * 2, state.steps + 1)
    return state.x, state.steps


@samples((1.0, 5), (2.0, 0))
def replaced_in_a_loop(x, k):
    state = State(x)
    while state.steps < k:
        state = dataclasses.replace(state, x=state.x * 2, steps=state.steps + 1)
    return state


@samples((1.0, 5), (-1.0, 5))
def made_in_a_branch(x, k):
    state = State(x)
    if x > 0:
        state = State(x + 1, k)
    return state


@samples((1.0,), (-1.0,))
def made_in_both_branches(x):
    if x > 0:
        state = State(x + 1, 1)
    else:
        state = State(x - 1, 2)
    state.x *= 2
    return state


@samples((1.0, 5), (-1.0, 5))
def made_by_a_method(x, k):
    state = State(x)
    for _ in range(k):
        state = state.next(2)
        if state.x > 5:
            break
    return state


@samples((1.0, 4))
def one_in_another(x, k):
    pair = Pair(State(x), x)
    while pair.state.steps < k:
        pair = Pair(pair.state.next(3), pair.bias - 1)
    return pair.state.x, pair.state.steps, pair.bias


@samples((1.0, 3), (1.0, 0))
def changed_and_replaced(x, k):
    state = State(x)
    while state.steps < k:
        state.x += 1
        state = State(state.x * 2, state.steps)
        state.steps += 1
    state.x -= 1
    return state


@samples((1.0,), (-1.0,))
def conditional_expression(x):
    state = State(x, 1) if x > 0 else State(-x, 2)
    return state.x, state.steps


@samples((1.0,), (-1.0,))
def returned_early(x):
    if x > 0:
        return State(x, 1)
    return State(-x, 2)


@samples(([1.0, 2.0, 3.0],), ([],))
def among_others(xs):
    state, last = State(0.0), 0.0
    for x in xs:
        state, last = State(state.x + x, state.steps + 1), state.x
    return state, last
