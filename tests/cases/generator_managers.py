"""Generators as context managers that see what is raised under a staged condition."""

import contextlib

import numpy as np

from autograph_rs.testing import samples

ROWS = (np.array([1.0, -2.0, 0.0, 3.0, -4.0]),), (np.array([1.0, 2.0]),), (np.array([-1.0, 0.0, -4.0]),)


class Ledger:
    def __init__(self):
        self.failed = self.done = self.ended = 0
        self.last = 0.0

    @contextlib.contextmanager
    def guard(self, row):
        try:
            yield self
        except ValueError:
            self.failed += 1
            self.last = row
        else:
            self.done += 1
        finally:
            self.ended += 1

    @contextlib.contextmanager
    def translated(self):
        """What a division by zero is for the caller."""
        try:
            yield
        except ZeroDivisionError as error:
            raise ValueError("zero") from error


@contextlib.contextmanager
def ending(counts):
    try:
        yield
    finally:
        counts["ended"] += 1


@samples(*ROWS)
def failures_are_counted(xs):
    ledger, total = Ledger(), 0.0
    for x in xs:
        with ledger.guard(x) as entered:
            entered.last = -x
            if x < 0:
                raise ValueError("negative")
            total += x
            if x > 2:
                raise ValueError("large")
            total *= 2
        total += entered.last
    return total, ledger.failed, ledger.done, ledger.ended, ledger.last


@samples(*ROWS)
def another_exception(xs):
    ledger, counts, count = Ledger(), {"ended": 0}, 0
    for x in xs:
        try:
            with ending(counts), ledger.translated():
                if x == 0:
                    raise ZeroDivisionError("x")
                if x < -3:
                    raise ValueError("small")
                if x > 2:
                    return count, counts["ended"]
                count += 1
        except ValueError as error:
            count += 100 if str(error) == "zero" else 1000
    return -count, counts["ended"]


@samples(*ROWS)
def an_end_for_each_path(xs):
    counts, total = {"ended": 0}, 0.0
    try:
        for x in xs:
            with ending(counts):
                if x == 0:
                    break
                if x < -1:
                    raise ValueError
                total += x
    except ValueError:
        total = -total
    return total, counts["ended"]


@contextlib.contextmanager
def section(log, *marks, end=0.5):
    try:
        yield log
    except ValueError:
        log.append(-end * len(marks))
    else:
        log.append(end)


@samples(*ROWS)
def lists_that_grow(xs):
    log = []
    for x in xs:
        with section(log, 1, 2, end=x) as entered:
            entered.append(x)
            if x < 0:
                raise ValueError
            log.append(x * 2)
    return len(log), log[-1], sum(log)


class Levels:
    def __init__(self):
        self.low = self.high = 0

    @contextlib.contextmanager
    def sorted_by(self, limit):
        try:
            yield
        except ValueError as error:
            if error.args[0] > limit:
                self.high += 1
            else:
                self.low += 1
        finally:
            while self.high > 2:
                self.high -= 2


@samples(*ROWS)
def branches_in_a_handler(xs):
    levels = Levels()
    for x in xs:
        with levels.sorted_by(x * x):
            if x != 0:
                raise ValueError(x)
    return levels.low, levels.high
