"""Generators as context managers: what their handlers change when the block raises, and what is refused."""

from __future__ import annotations

import contextlib
from typing import Any

import numpy as np
import pytest

import autograph_rs as ag


@contextlib.contextmanager
def counting(box):
    try:
        yield
    except ValueError:
        box["errors"] += 1


@contextlib.contextmanager
def marking(log):
    try:
        yield
    except ValueError:
        log.append(1.0)
    else:
        log.append(5.0)


@contextlib.contextmanager
def scaled(log, *marks, scale=1.0, **more):
    try:
        yield log
    except ValueError:
        log.append(scale * len(marks) + more.get("offset", 0.0))


class Journal:
    def __init__(self):
        self.errors = self.ends = 0
        self.log = [10.0]

    @contextlib.contextmanager
    def guard(self):
        try:
            yield
        except ValueError:
            self.errors += 1
        finally:
            self.ends += 1

    def raw(self):
        try:
            yield
        except ValueError:
            self.errors += 1


def created_before(x):
    box = {"errors": 0}
    manager = counting(box)
    with manager:
        if x < 0:
            raise ValueError
    return box["errors"]


def enter(manager, x):
    with manager:
        if x < 0:
            raise ValueError


def passed_to_a_function(x):
    box = {"errors": 0}
    enter(counting(box), x)
    return box["errors"]


def several(x):
    box = {"errors": 0}
    for manager in [counting(box), counting(box)]:
        with manager:
            if x < 0:
                raise ValueError
    return box["errors"]


def dict_rebound_in_the_block(x):
    box = {"errors": 0}
    old = box
    with counting(box):
        box = {"errors": 5}
        if x < 0:
            raise ValueError
    return old["errors"], box["errors"]


def object_rebound_in_the_block(x):
    journal = Journal()
    same = journal
    with journal.guard():
        journal = None
        if x < 0:
            raise ValueError
    return same.errors, same.ends


def list_rebound_in_the_block(x):
    log = [10.0]
    old = log
    with marking(log):
        log = []
        if x < 0:
            raise ValueError
    return sum(old), len(log)


def attribute_rebound_in_the_block(x):
    journal = Journal()
    old = journal.log
    with marking(journal.log):
        journal.log = [3.0]
        if x < 0:
            raise ValueError
    return sum(old), sum(journal.log)


def arguments_of_every_kind(x):
    log = [x]
    with scaled(log, 1, 2, scale=x, offset=x * 2) as entered:
        entered.append(x * 3)
        if x < 0:
            raise ValueError
        log.append(x * 4)
    return log


def variable_of_the_function(x):
    errors = 0

    @contextlib.contextmanager
    def local():
        nonlocal errors
        try:
            yield
        except ValueError:
            errors += 1

    with local():
        if x < 0:
            raise ValueError
    return errors


PROGRAMS = [
    created_before, passed_to_a_function, several, dict_rebound_in_the_block, object_rebound_in_the_block,
    list_rebound_in_the_block, attribute_rebound_in_the_block, arguments_of_every_kind,
    variable_of_the_function,
]  # fmt: skip


@pytest.mark.parametrize("x", [1.0, -1.0])
@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_as_in_python(f, x):
    assert ag.function(f)(np.float64(x)) == f(x)


ERRORS = {"global": 0}


@contextlib.contextmanager
def counting_globally():
    try:
        yield
    except ValueError:
        ERRORS["global"] += 1


@pytest.mark.parametrize(("x", "count"), [(1.0, 0), (-1.0, 1)])
def test_a_global_that_a_handler_changes_is_warned_of(monkeypatch, x, count):
    @ag.function
    def f(x):
        ERRORS["global"] = 0
        with counting_globally():
            if x < 0:
                raise ValueError
        return ERRORS["global"]

    monkeypatch.setitem(ERRORS, "global", 0)
    with pytest.warns(ag.SideEffectWarning, match="outlives the staged function"):
        assert f(np.float64(x)) == count


class Own(contextlib._GeneratorContextManager):
    def __init__(self, journal):
        super().__init__(Journal.raw, (journal,), {})


def of_a_bound_method(journal: Journal) -> Any:
    return contextlib.contextmanager(journal.raw)()


@contextlib.contextmanager
def restoring(journal):
    before = journal.errors
    try:
        yield
    except ValueError:
        journal.errors = before


@contextlib.contextmanager
def changing(journal):
    journal.errors += 1
    try:
        yield
    except ValueError:
        return


@contextlib.contextmanager
def printing(_):
    print("begins")
    try:
        yield
    except ValueError:
        return


@pytest.mark.parametrize("manager", [restoring, changing, printing, Own, of_a_bound_method])
def test_those_that_cannot_begin_again_are_refused(manager):
    @ag.function
    def f(x):
        journal = Journal()
        with manager(journal):
            journal.errors = 2
            if x < 0:
                raise ValueError("negative")
        return journal.errors

    with pytest.raises(ag.RaiseInTryError, match=r"the generator \w+\(\)"):
        f(np.float64(-1))
