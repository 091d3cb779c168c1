"""Loops over a plain `range` whose iterations may raise: each is rolled into one staged loop."""

from __future__ import annotations

import contextlib
import dataclasses
import fractions
import json

import numpy as np
import pytest
from test_loop_rolling import N, Outcome, checked_outcomes

import autograph_rs as ag


class TooLarge(Exception):
    pass


def stepped(x):
    if x.sum() > 6.0:
        raise TooLarge(x.sum())
    return x * 1.3


def retried(x):
    failures = []
    for i in range(N):
        try:
            x = stepped(x)
        except TooLarge as error:
            failures.append(error.args[0])
            x = x / 3
        else:
            x = x + 0.1
        finally:
            x = x * 0.9
        if len(failures) > 1:
            return x, i
    return x, -1


def no_step(x):
    try:
        return stepped(x)
    except TooLarge:
        return x * 0.5


def retried_in_a_function(x):
    for i in range(2 * N):
        x = no_step(x)
        if x.sum() > 6.0 and x.max() > 2.9:
            return x, i
    return x, -1


def looked_up(x, table=(0.1, 0.2, 0.3, 0.4)):
    for i in range(N):
        try:
            x = x + table[i]
        except IndexError:
            x = x * 1.1
        if x.sum() > 15.0:
            break
    return x


@dataclasses.dataclass
class Fit:
    x: np.ndarray
    rounds: int
    history: list = dataclasses.field(default_factory=list)


def returned_in_a_dataclass(x):
    for i in range(N):
        x = x * 0.8
        if x.sum() < 1.0:
            fit = Fit(x, i)
            return fit.x, fit.rounds
    return x, N


def fractions_of(x):
    total = 0.0
    for i in range(N):
        try:
            total += float(fractions.Fraction(i, 3))
        except (TypeError, ValueError):
            total -= 1
        x = x * 0.9
        if x.sum() > 500:
            break
    return x, total


def written_by(i):
    try:
        return len(json.dumps({"i": i}))
    except TypeError:
        return -1


def lengths_of_texts(x):
    total = 0
    for i in range(N):
        total += written_by(i)
        x = x * 0.9
        if x.sum() > 500:
            break
    return x, total


def in_another_base(x):
    total = 0.0
    for i in range(N):
        try:
            total += float(int("1" * 3, i))
        except Exception:
            total -= 1
        x = x * 0.9
        if x.sum() > 500:
            break
    return x, total


def with_errstate(x):
    for i in range(N):
        with np.errstate(over="ignore"), contextlib.suppress(TooLarge):
            x = stepped(x) * 0.9
        x = x * 0.9
        if x.sum() < 4.0:
            return x, i
    return x, -1


def suppressed(x):
    total = 0.0
    for i in range(N):
        with contextlib.suppress(TypeError):
            total += float(fractions.Fraction(i, 3))
        x = x * 0.9
        if x.sum() > 500:
            break
    return x, total


class Ignoring:
    def __enter__(self):
        return self

    def __exit__(self, *error):
        return True


def ignored(x):
    total = 0.0
    for i in range(N):
        with Ignoring():
            total += len(json.dumps(i))
        x = x * 0.9
        if x.sum() > 500:
            break
    return x, total


ROLLED = [retried, retried_in_a_function, returned_in_a_dataclass, with_errstate]
UNROLLED = [looked_up, fractions_of, lengths_of_texts, in_another_base, suppressed, ignored]


@pytest.mark.parametrize("f", ROLLED)
def test_a_rolled_loop_leaves_what_the_unrolled_one_does(f):
    assert set(checked_outcomes(f)) == {Outcome.ROLLED}


@pytest.mark.parametrize("f", UNROLLED)
def test_a_loop_whose_handler_may_catch_what_a_library_raises_stays_unrolled(f):
    assert Outcome.ROLLED not in checked_outcomes(f)


class Fault(Exception):
    def __init__(self, time):
        super().__init__(time)
        self.time = time


class Watchdog:
    def __init__(self):
        self.bad_since = None

    def check(self, error, time):
        if abs(error) <= 0.5:
            self.bad_since = None
        elif self.bad_since is None:
            self.bad_since = time
        elif time - self.bad_since > 0.1:
            raise Fault(time)


def simulated(targets, gain):
    """The time is a plain number until an iteration may raise."""
    position, time, settled, dog = 0.0, 0.0, [], Watchdog()
    try:
        for target in targets:
            inside = None
            for k in range(60):
                error = target - position
                dog.check(error, time)
                position += 0.02 * gain * error
                time += 0.02
                if abs(error) > 0.05:
                    inside = None
                elif inside is None:
                    inside = k
            settled.append(np.nan if inside is None else inside)
    except Fault as fault:
        return fault.time, position, np.array(settled)
    return time, position, np.array(settled)


@pytest.mark.parametrize("gain", [2.0, 9.0, 20.0])
def test_a_plain_time_in_a_loop_that_may_raise(gain):
    targets = np.array([0.4, 1.2, 1.5])
    expected = simulated(targets, gain)
    found = ag.function(simulated)(targets, np.float64(gain))
    for a, b in zip(found, expected, strict=True):
        np.testing.assert_array_equal(a, b)
