"""Objects of which a staged branch or loop makes another one; their other names; defaults of classes."""

from __future__ import annotations

from dataclasses import dataclass
from types import SimpleNamespace

import numpy as np
import pytest

import autograph_rs as ag


@dataclass
class State:
    x: object
    steps: object = 0


def kept_under_another_name(x):
    state = State(x)
    other = state
    if x > 0:
        state = State(x + 1)
    state.x = 5
    return other.x


def two_names_of_one_round(x):
    state = other = State(x)
    while state.x < 100:
        state = other = State(state.x * 2, state.steps + 1)
    state.x = 5
    return other.x


def one_in_a_list(x):
    state = State(x)
    states = [state]
    if x > 0:
        state = State(x + 1)
    return states, state


def of_a_class_that_is_no_dataclass(x):
    state = SimpleNamespace(x=x)
    if x > 0:
        state = SimpleNamespace(x=x + 1)
    return state.x


@pytest.mark.parametrize(
    "f",
    [kept_under_another_name, two_names_of_one_round, one_in_a_list, of_a_class_that_is_no_dataclass],
)
def test_objects_that_have_two_names(f):
    for x in (1, 200):
        assert ag.function(f)(np.float64(x)) == f(np.float64(x))


class Meter:
    peak = 0.0

    def see(self, x):
        if x > self.peak + 1:
            self.peak = x


def default_of_the_class(xs):
    meter = Meter()
    for x in xs:
        meter.see(x)
    return meter.peak


@pytest.mark.parametrize("xs", [[1.0, 5.0, 2.0], [-1.0], []])
def test_an_attribute_begins_as_the_default_of_its_class(xs):
    """A loop carries it from there, also where only the first round sets it on the object."""
    xs = np.array(xs)
    assert ag.function(default_of_the_class)(xs) == default_of_the_class(xs)


class Doubled:
    """A sequence whose items are computed."""

    def __init__(self, xs):
        self.xs = xs

    def __getitem__(self, i):
        return 2 * np.take(self.xs, i)


def test_an_object_computes_its_items():
    """A staged index is passed to the `__getitem__` of an object that is no container of the system."""
    f = ag.function(lambda xs, i: Doubled(xs)[i] + Doubled(xs)[i - 1])
    assert f(np.array([1.0, 2.0, 3.0]), np.int64(2)) == 10
