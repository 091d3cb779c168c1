"""A staged value that is left in what outlives the trace is warned of; state of the function is not."""

from __future__ import annotations

import dataclasses
import logging
import types

import pytest
from warnings_support import NONE, SOME, check, describe

import autograph_rs as ag


class Counter:
    total = 0.0
    _half = 0.0

    @property
    def half(self):
        return self._half

    @half.setter
    def half(self, value):
        self._half = value

    def __init__(self):
        self.n = 0

    def add(self, x):
        if x > 0:
            self.n += 1
        return x


GLOBAL = 0
COUNTER = Counter()
TABLE = {"n": 0}
NUMBERS = [0, 0]
PLACE = types.ModuleType("place")
PLACE.n = 0


def state():
    return GLOBAL, vars(COUNTER), Counter.total, PLACE.n, TABLE, NUMBERS


def taken():
    found = repr(state())
    reset()
    return found


def reset():
    global GLOBAL  # noqa: PLW0603
    GLOBAL = 0
    COUNTER.half = COUNTER.n = Counter.total = PLACE.n = TABLE["n"] = 0
    NUMBERS[:] = [0, 0]


def sets_global(x):
    global GLOBAL  # noqa: PLW0603
    if x > 0:
        GLOBAL += 1
    return x


def sets_attribute(x):
    if x > 0:
        COUNTER.n += 1
    return x


def sets_class(x):
    if x > 0:
        Counter.total += x
    return x


def sets_module(x):
    if x > 0:
        PLACE.n += 1
    return x


def sets_item(x):
    if x > 0:
        TABLE["n"] += 1
    return x


def sets_list(x):
    if x > 0:
        NUMBERS[0] = 1
    return x


def sets_in_loop(x):
    while x < 3:
        COUNTER.n += 1
        x = x + 1
    return x


def sets_in_helper(x):
    if x > 0:
        bump()
    return x


def bump():
    Counter.total += 1.0


def sets_two_deep(x):
    if x > 0:
        x = x + 1
        if x < 3:
            COUNTER.n += 1
    return x


def sets_by_method(x):
    if x > 0:
        COUNTER.add(x)
    return x


def calls_method(x):
    return COUNTER.add(x)


def sets_property(x):
    if x > 0:
        COUNTER.half = x
    return x


HELD = [
    (sets_property, "COUNTER.half = x", "'COUNTER.half' outlives"),
    (sets_global, "GLOBAL += 1", "the global 'GLOBAL' outlives"),
    (sets_attribute, "COUNTER.n += 1", "'COUNTER.n' outlives"),
    (sets_class, "Counter.total += x", "'Counter.total' outlives"),
    (sets_module, "PLACE.n += 1", "'PLACE.n' outlives"),
    (sets_item, "if x > 0:", "outlives"),
    (sets_list, "if x > 0:", "outlives"),
    (sets_in_loop, "COUNTER.n += 1", "'COUNTER.n' outlives"),
    (sets_in_helper, "if x > 0:", "Counter.total outlives"),
    (sets_two_deep, "COUNTER.n += 1", "'COUNTER.n' outlives"),
    (sets_by_method, "self.n += 1", "'self.n' outlives"),
    (calls_method, "self.n += 1", "'self.n' outlives"),
]


@pytest.fixture(autouse=True)
def _fresh():
    yield
    reset()


@pytest.mark.parametrize(("f", "line", "says"), HELD, ids=lambda v: getattr(v, "__name__", ""))
def test_what_outlives_the_trace(f, line, says):
    """It is left with a staged value, where Python counts."""
    assert "staged" in check(f, SOME, line=line, says=says, left=taken)


def test_argument_that_outlives_the_trace():
    class Model:
        def __init__(self):
            self.n = 0

        @ag.function
        def step(self, x):
            if x > 0:
                self.n += 1
            return x

    model = Model()
    [(line, message)] = describe(model.step, SOME)
    assert line == "self.n += 1"
    assert message.startswith("'self.n' outlives")
    assert "staged" in repr(model.n)


def test_outer_variable():
    n = 0

    def counting(x):
        nonlocal n
        if x > 0:
            n += 1
        return x

    [(line, message)] = describe(ag.function(counting), SOME)
    assert (line, message.partition(" and ")[0]) == (
        "n += 1",
        "the outer variable 'n' outlives the staged function",
    )
    assert "staged" in repr(n)


@dataclasses.dataclass
class Pair:
    first: float
    second: float = 0.0


def local_state(x):
    counter, pair, table, n = Counter(), Pair(1.0), {"k": 0.0}, 0

    def inner():
        nonlocal n
        if x > 0:
            n += 1

    if x > 0:
        counter.n += 1
        pair.first = x
        table["k"] = x
        counter.add(x)
    inner()
    return counter.n, pair.first, table["k"], n


def given_state(pair, table, x):
    if x > 0:
        pair.first = x
        table["k"] += 1
    return pair.first


def assigned_alike(x):
    if x > 0:
        COUNTER.n = 5
    else:
        COUNTER.n = 5
    return x


def test_state_that_is_kept_as_python_keeps_it():
    """Local objects, and containers among the arguments, are part of the state."""
    assert describe(ag.function(local_state), SOME) == []
    assert ag.function(local_state)(SOME) == local_state(1.0)
    assert ag.function(local_state)(NONE) == local_state(-1.0)
    pair, table = Pair(0.0), {"k": 1.0}
    assert describe(ag.function(given_state), pair, table, SOME) == []
    assert (float(pair.first), float(table["k"])) == (1.0, 2.0)
    assert describe(ag.function(assigned_alike), SOME) == []


def outside_of_branches(x):
    COUNTER.n += 1
    NUMBERS.append(1)
    logging.getLogger("user").warning("tracing")
    return x


def test_outside_of_branches():
    """Code outside branches shows that the function is traced. This is intended."""
    logging.getLogger("user").addHandler(logging.NullHandler())
    assert describe(ag.function(outside_of_branches), SOME) == []
