"""Staging leaves other threads, and the objects that a trace only reads, as they are."""

from __future__ import annotations

import gc
import json
import subprocess
import sys
import threading
import time
import types
import warnings
import weakref
from collections import deque
from unittest import mock

import numpy as np
import pytest

import autograph_rs as ag
from autograph_rs.runtime.core.active_backends import active_backend

X = np.float64(1)


def test_another_thread_is_not_tracing() -> None:
    """Its errors get no note about a trace, and its calls no warning."""
    started, done = threading.Event(), threading.Event()

    def traced(x):
        started.set()
        assert done.wait(300)
        return x

    def plain(text):
        for _ in range(1):
            time.time()
            json.loads(text)

    thread = threading.Thread(target=lambda: ag.function(traced)(X))
    thread.start()
    try:
        assert started.wait(300)
        with warnings.catch_warnings(action="error"), pytest.raises(json.JSONDecodeError) as caught:
            ag.to_graph(plain)("{")
        assert active_backend() is None
    finally:
        done.set()
        thread.join()
    assert not hasattr(caught.value, "__notes__")


def test_what_runs_outside_of_the_graph_is_not_traced() -> None:
    times = []

    def f(x):
        with ag.init_scope():
            times.append(time.time())
        return x

    with warnings.catch_warnings(action="error"):
        ag.function(f)(X)
    assert len(times) == 1


class Thing:
    """Can be referred to weakly."""


def test_a_generator_that_is_seen_keeps_nothing_longer() -> None:
    seen = []

    def things():
        for _ in range(2):
            thing = Thing()
            seen.append(weakref.ref(thing))
            yield
            del thing

    generator = things()
    next(generator)

    def f(x):
        if x > 0:
            x = x + len([generator])
        return x

    assert ag.function(f)(X) == 2
    gc.disable()
    try:
        next(generator)
        assert seen[0]() is None
    finally:
        gc.enable()


class Sequence:
    def __len__(self):
        raise AssertionError("nobody asked for it")

    def __getitem__(self, index):
        return [10, 20, 30][index]


@pytest.mark.parametrize("over", [iter, lambda s: zip(s, s, strict=False)])
def test_an_iterator_over_a_users_sequence_does_not_ask_its_length(over) -> None:
    items = over(Sequence())

    def f(x):
        if x > 0:
            x = x + 1 if items else x
        return x

    assert ag.function(f)(X) == 2

    def moves(x):
        if x > 0:
            next(items)
        return x

    with pytest.warns(ag.SideEffectWarning, match="is advanced"):
        ag.function(moves)(X)


class Named(deque):
    def __init__(self, name, items):
        super().__init__(items)
        self.name = name


class Chosen(set):
    def __init__(self, *, items):
        super().__init__(items)


def test_containers_of_a_users_class_are_copied_without_it() -> None:
    named, chosen = Named("name", [1, 2]), Chosen(items=[3])

    def f(x):
        if x > 0:
            x = x + len(named) + len(chosen)
        return x

    assert ag.function(f)(X) == 4


@pytest.mark.slow
def test_an_endless_helper_after_a_recursion_that_was_caught() -> None:
    def down(x, path):
        if x > 0:
            try:
                y = down(x - 1, (*path, x))
            except ag.StagedRecursionError:
                y = endless(x)
        else:
            y = x
        return y

    def endless(x):
        return endless(x)

    with pytest.raises(RecursionError):
        ag.function(down)(X, ())


def test_operators_are_looked_up_as_globals_are() -> None:
    """Python remembers where an attribute is of a module alone, and not of what derives from one."""

    def f(x):
        return x if x > 0 else -x

    [cell] = ag.to_graph(f).__closure__ or ()
    assert type(cell.cell_contents) is types.ModuleType


OWN_LENGTH = """
import builtins
import autograph_rs as ag

def own_length(values):
    return 2 if values else 0

def asks(values):
    return own_length(values) + len(values)

made = ag.to_graph(asks)
builtins.len = ag.to_graph(own_length)
print(made([1, 2, 3]))
"""


def test_a_builtin_that_a_program_replaces_by_converted_code(tmp_path) -> None:
    """Calls do not ask for lengths themselves: that would call the code again, without end."""
    script = tmp_path / "own_length.py"
    script.write_text(OWN_LENGTH)
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, check=False, timeout=300)
    assert (done.stdout, done.stderr) == ("4\n", "")


def test_an_object_that_has_any_attribute_is_no_function() -> None:
    chosen = mock.call(1)

    def f(xs):
        y = None
        for x in xs:
            if x > 0:
                y = chosen
        return y

    with pytest.raises(ag.MismatchError, match="a _Call if true"):
        ag.function(f)(np.ones(2))
