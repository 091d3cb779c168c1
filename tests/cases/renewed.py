"""Containers that one path creates anew, while another changes the one from before."""

from collections import Counter, deque
from dataclasses import dataclass, field

import numpy as np

from autograph_rs.testing import samples

XS = np.array([1.0, -2.0, 0.0, -1.0, 3.0, -1.0])


@dataclass
class Store:
    items: list = field(default_factory=list)
    queue: deque = field(default_factory=deque)
    seen: set = field(default_factory=set)
    places: dict = field(default_factory=dict)
    counts: Counter = field(default_factory=Counter)


@samples((XS,), (-XS,))
def attributes(xs):
    store = Store()
    for x in xs:
        if x > 0:
            store.items, store.queue, store.seen = [], deque(), set()
            store.places, store.counts = {}, Counter()
        else:
            store.items.append(x)
            store.queue.append(x)
            store.seen.add(int(x))
            store.places[int(x)] = x
            store.counts[int(x)] += 1
    return store.items, store.queue, sorted(store.seen), store.places, store.counts


@samples((XS,), (-XS,))
def variables(xs):
    seen, places = set(), {}
    for x in xs:
        if x > 0:
            seen, places = set(), {}
        else:
            seen.add(int(x))
            places[int(x)] = x
    return sorted(seen), places


@samples((XS,), (-XS,))
def an_object(xs):
    store = Store()
    for x in xs:
        if x > 0:
            store = Store()
        else:
            store.items.append(x)
    return store.items


@samples((XS,), (-XS,))
def method_that_renews(xs):
    class Book:
        def __init__(self):
            self.waiting, self.done = [], 0.0

        def order(self, x):
            self.waiting.append(x)

        def deliver(self):
            waiting, self.waiting = self.waiting, []
            for x in waiting:
                self.done += x

    book = Book()
    for x in xs:
        if x > 0:
            book.deliver()
        else:
            book.order(x)
    return book.waiting, book.done


@samples((XS,), (-XS,))
def effects_of_an_unrolled_loop(xs):
    counts = [0]

    def is_small(x):
        counts[0] += 1
        return x < 2

    for x in [xs[0], xs[1], xs[2], xs[4]]:
        if not is_small(x):
            break
    return counts[0]


@samples((XS,), (-XS,))
def effects_of_a_condition(xs):
    counts = [0]

    def is_small(x):
        counts[0] += 1
        return x < 2

    small = [x for x in xs if is_small(x)]
    total = sum(x for x in xs if is_small(x))
    return small, total, counts[0]
