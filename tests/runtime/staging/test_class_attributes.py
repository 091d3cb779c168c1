"""Attributes of classes, and globals, that methods and constructors change in staged branches and loops."""

from __future__ import annotations

import numpy as np
import pytest

import autograph_rs as ag

pytestmark = pytest.mark.filterwarnings("ignore::autograph_rs.SideEffectWarning")
CREATED = 0


class Counted:
    made = 0
    log: tuple = ()

    def __init__(self, value):
        Counted.made += 1
        self.value = value

    def touch(self):
        Counted.made += 1

    def touch_own_class(self):
        type(self).made += self.value

    @classmethod
    def touch_class(cls):
        cls.made += 1

    @staticmethod
    def touch_statically():
        count()

    @property
    def touched(self):
        self.touch()
        return self.value


class Derived(Counted):
    made = 10


def count():
    global CREATED  # noqa: PLW0603
    CREATED += 1


class Numbered:
    last = 0

    def __init__(self):
        self.number = Numbered.following()

    @classmethod
    def following(cls):
        cls.last += 1
        return cls.last


def constructed(n):
    Counted.made = total = 0
    for i in range(n):
        total += Counted(i).value
    return total, Counted.made


def by_methods(n):
    Counted.made = total = 0
    counted = Counted(2)
    for i in range(n):
        counted.touch()
        if i > 1:
            counted.touch_own_class()
            total += counted.touched
    return total, Counted.made


def by_the_class(n):
    global CREATED  # noqa: PLW0603
    Counted.made = CREATED = 0
    for i in range(n):
        Counted.touch_class()
        if i % 2 == 0:
            Counted.touch_statically()
    return Counted.made, CREATED


def by_a_derived_class(n):
    Counted.made, Derived.made = 0, 10
    for i in range(n):
        Derived.touch_class()
        Derived(i).touch()
    return Counted.made, Derived.made


def numbered(n):
    Numbered.last = total = 0
    for _ in range(n):
        total = total * 10 + Numbered().number
    return total


@pytest.mark.parametrize("function", [constructed, by_methods, by_the_class, by_a_derived_class, numbered])
def test_what_methods_change_is_state(function):
    for n in (0, 1, 2, 5):
        assert ag.function(function)(np.int64(n)) == function(n)


def test_a_change_that_outlives_the_function_warns():
    with pytest.warns(ag.SideEffectWarning, match="Counted.made outlives the staged function"):
        ag.function(constructed)(np.int64(3))
    with pytest.warns(ag.SideEffectWarning, match="the global 'CREATED' outlives the staged function"):
        ag.function(by_the_class)(np.int64(3))
