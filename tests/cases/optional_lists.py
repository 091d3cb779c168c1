"""Lists, deques, sets and dicts that are None on some path, until the graph runs."""

from collections import deque

import numpy as np

from autograph_rs.testing import samples

XS = np.array([3.0, -1.0, 4.0, 1.0, -5.0, 9.0])
ONE = np.float64(1.0)


@samples((XS,), (-XS,), (XS[:1],))
def sums_of_runs(xs):
    run, sums = None, []
    for x in xs:
        if x > 0:
            if run is None:
                run = []
            run.append(x)
        else:
            if run is not None:
                sums.append(sum(run))
            run = None
    return sums, run


@samples((XS,), (-XS,))
def runs(xs):
    run, found = None, []
    for x in xs:
        if x > 0:
            if run is None:
                run = []
            run.append(x)
        else:
            if run is not None:
                found.append(run)
            run = None
    return found


@samples((XS,), (-XS,))
def run_in_an_object(xs):
    class Reader:
        def __init__(self):
            self.run, self.longest = None, 0

        def read(self, x):
            if x > 0:
                if self.run is None:
                    self.run = []
                self.run.append(x)
                self.longest = max(self.longest, len(self.run))
            else:
                self.run = None

    reader = Reader()
    for x in xs:
        reader.read(x)
    return reader.longest, reader.run


@samples((ONE,), (-ONE,))
def append_to_none(x):
    items = [1.0] if x > 0 else None
    items.append(x)
    return items


@samples((ONE,), (-ONE,))
def changes_and_uses(x):
    items = None
    if x > 0:
        items = [3.0, 1.0]
    if items is not None:
        items[0] = 5.0
        items += [4.0]
        items.sort()
        del items[0]
        return items, len(items), items[-1], 5.0 in items, items[:1], [y * 2 for y in items]
    return None


@samples((ONE,), (-ONE,))
def length_of_none(x):
    items = None
    if x > 0:
        items = [1.0]
    return len(items)


@samples((ONE,), (-ONE,))
def item_of_none(x):
    items = None
    if x > 0:
        items = [1.0]
    items[0] = 2.0
    return items


@samples((ONE,), (-ONE,))
def other_containers(x):
    queue, seen, names = None, None, None
    if x > 0:
        queue, seen, names = deque([1.0]), {1}, {1: 2.0}
    if queue is not None:
        queue.appendleft(x)
    if seen:
        seen.add(3)
    if names is not None:
        names[5] = x
    return queue, None if seen is None else sorted(seen), names


@samples((ONE,), (-ONE,))
def result_that_may_be_none(x):
    def found(x):
        return [x] if x > 0 else None

    items = found(x)
    if items is None:
        return 0.0
    items.append(2.0)
    return sum(items)
