"""Warnings of what happens once, while a framework traces: the same on each of them."""

from __future__ import annotations

import io
import linecache
import logging
import random
import sys
import time
import warnings

import numpy as np
import pytest
from alone import exported
from support import required

import autograph_rs as ag

LOG = logging.getLogger("test_side_effects")
STREAM = io.StringIO()
RNG = np.random.default_rng(0)


class Counter:
    def __init__(self):
        self.n = 0.0


COUNTER = Counter()


def logs(x):
    if x > 0:
        LOG.warning("positive")
    return x * 1


def writes(x):
    if x > 0:
        STREAM.write("positive")
    return x * 1


def keeps(x):
    if x > 0:
        COUNTER.n = x
    return x * 1


def takes(x):
    items = iter({1.0: "a", 2.0: "b"})
    n = 0.0
    if x > 0:
        n = next(items)
    return x + n


def asks(x):
    return x + time.perf_counter()


def draws(x):
    return x + random.random()


def draws_array(x):
    return x + float(np.random.rand())  # noqa: NPY002


def draws_own(x):
    return x + float(RNG.random())


def fine(x):
    counter = Counter()
    if x > 0:
        counter.n = x
        print("staged")
    local = np.random.default_rng(7)
    for n in [1.0, 2.0]:
        x = x + n
    return x + counter.n + float(local.random())


WARNED = [
    (logs, 'LOG.warning("positive")', "Logger.warning() is called"),
    (writes, 'STREAM.write("positive")', "write() is called"),
    (keeps, "COUNTER.n = x", "'COUNTER.n' outlives"),
    (takes, "if x > 0:", "the dict_keyiterator 'items' comes from outside"),
    (asks, "return x + time.perf_counter()", "time.perf_counter() is called"),
    (draws, "return x + random.random()", "random() draws a random number"),
    (draws_array, "return x + float(np.random.rand())  # noqa: NPY002", "rand() draws a random number"),
    (draws_own, "return x + float(RNG.random())", "random() draws a random number"),
]


def run_with(system, f, value):
    """The result of a function that is compiled for this value."""
    framework = required(system)
    if system == "jax":
        return framework.jit(ag.to_graph(f))(value)
    if system == "tensorflow":
        return framework.function(ag.to_graph(f), autograph=False)(framework.constant(value))
    return exported(framework, ag.to_graph(f), value)


def describe(system, f, value):
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        run_with(system, f, value)
    ours = [w for w in found if w.category is ag.SideEffectWarning]
    return [(linecache.getline(w.filename, w.lineno).strip(), str(w.message)) for w in ours]


@pytest.mark.parametrize("system", ["jax", "tensorflow", "torch"])
@pytest.mark.parametrize(("f", "line", "says"), WARNED, ids=lambda v: getattr(v, "__name__", ""))
def test_warned(system, f, line, says):
    required(system)
    COUNTER.n = 0.0
    try:
        [(text, message)] = describe(system, f, -1.0)
        assert text == line
        assert says in message
    finally:
        COUNTER.n = 0.0
        STREAM.truncate(0)


@pytest.mark.parametrize("system", ["jax", "tensorflow", "torch"])
def test_not_warned(system, capfd):
    required(system)
    assert describe(system, fine, -1.0) == []


@pytest.mark.needs("jax")
def test_effects_are_those_of_the_trace(caplog):
    """A condition that is false logs all the same, once; an answer is the same at each call."""
    jax = required("jax")
    with warnings.catch_warnings(action="ignore"):
        f = jax.jit(ag.convert(logs))
        f(-1.0), f(1.0)
        assert len(caplog.records) == 1
        g = jax.jit(ag.convert(draws))
        assert g(1.0) == g(1.0)


@pytest.mark.needs("jax")
def test_error_where_that_is_asked_for():
    """A user's filter makes it one, at the user's line."""
    jax = required("jax")
    with warnings.catch_warnings(action="error"), pytest.raises(ag.SideEffectWarning) as caught:
        jax.jit(ag.convert(logs))(-1.0)
    lines = [linecache.getline(str(place.path), place.lineno + 1).strip() for place in caught.traceback]
    assert 'LOG.warning("positive")' in lines


@pytest.mark.needs("jax")
def test_plain_values_are_not_traced():
    """A framework that is loaded warns of nothing where it does not trace."""
    required("jax")
    with warnings.catch_warnings(action="error"):
        for f, *_ in WARNED:
            ag.to_graph(f)(-1.0)
    assert sys.modules["jax"]
