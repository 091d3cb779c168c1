"""Iterators of user classes, and a program with iterators in branches, for tests on several systems."""

from __future__ import annotations

import itertools


class Reader:
    """Reads the items of a sequence one after the other."""

    def __init__(self, items):
        self.items, self.position, self.restarts = items, 0, 0

    def __iter__(self):
        self.restarts += 1
        return self

    def __next__(self):
        if self.position >= len(self.items):
            raise StopIteration
        item = self.items[self.position]
        self.position += 1
        return item


class Below:
    """The numbers below a limit, by a generator."""

    def __init__(self, limit):
        self.limit = limit

    def __iter__(self):
        i = 0
        while i < self.limit:
            yield i
            i += 1


def in_branches(xs):
    items, numbers, total = iter([5.0, 6.0, 7.0]), itertools.count(3), 0.0
    for x in xs:
        if x > 2:
            total = total * 10 + next(items, 1.0)
        elif x > 0:
            total = total * 10 + next(numbers)
    return total, next(items, -1.0), next(numbers)
