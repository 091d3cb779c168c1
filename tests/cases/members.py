"""Sets and dicts whose members and keys are known only at run time."""

from collections import Counter, defaultdict

import numpy as np

from autograph_rs.testing import samples

XS = np.array([4, 2, 4, 7, 2, 4])
GRID = np.array([[1, 1, 0], [0, 1, 1], [1, 0, 1]])
PAIRS = np.array([[1, 2], [2, 3], [1, 1]])


@samples((XS,), (np.arange(3),))
def duplicates(xs):
    seen, twice = set(), []
    for x in xs:
        if x in seen:
            twice.append(x)
        seen.add(x)
    return twice, len(seen)


@samples((np.int64(2),), (np.int64(5),))
def steps_to_a_cycle(x):
    seen = set()
    steps = 0
    while x not in seen and steps < 40:
        seen.add(x)
        x = (x * x + 1) % 31
        steps += 1
    return x, steps, sorted(seen)


@samples((XS, 11), (XS, 100))
def two_that_add_up(xs, wanted):
    places = {}
    for i, x in enumerate(xs):
        if wanted - x in places:
            return places[wanted - x], i
        places[x] = i
    return -1, -1


@samples((XS,))
def counted(xs):
    counts = {}
    for x in xs:
        counts[x] = counts.get(x, 0) + 1
    return sorted(counts.items()), max(counts.values())


@samples((XS,))
def counters(xs):
    counts = Counter()
    for x in xs:
        counts[x] += 1
    return counts, counts == Counter(xs)


@samples((XS,))
def sums_by_remainder(xs):
    sums = defaultdict(float)
    for x in xs:
        sums[x % 3] += x
    return dict(sums), len(sums)


@samples((XS,))
def smallest_of_each(xs):
    best = {}
    for x in xs:
        key = x % 3
        if key not in best or x < best[key]:
            best[key] = x
    return best


@samples((XS, XS + 1))
def algebra(xs, ys):
    a, b = set(xs), set(ys)
    both = a & b
    a -= b
    return sorted(b.union(a)), sorted(both), a.isdisjoint(b), a <= b, a == {2, 4}


@samples((GRID,), (GRID.T,))
def cells_that_are_reached(grid):
    visited = set()
    stack = [(0, 0)]
    while stack:
        r, c = stack.pop()
        if (r, c) in visited or grid[r, c] == 0:
            continue
        visited.add((r, c))
        for there in ((r + 1, c), (r, c + 1)):
            if there[0] < 3 and there[1] < 3:
                stack.append(there)
    return sorted(visited)


@samples((XS, 7), (XS, 5))
def key_that_may_be_missing(xs, wanted):
    places = {}
    for i, x in enumerate(xs):
        places[x] = i
    try:
        return places[wanted]
    except KeyError as error:
        return -error.args[0]


@samples((XS, 5))
def missing_key(xs, wanted):
    squares = {}
    for x in xs:
        squares[x] = x * x
    return squares[wanted]


class Memory:
    def __init__(self):
        self.known = {}
        self.hits = 0

    def square(self, x):
        if x in self.known:
            self.hits += 1
            return self.known[x]
        self.known[x] = x * x
        return self.known[x]


@samples((XS,))
def memory_of_an_object(xs):
    memory = Memory()
    total = 0
    for x in xs:
        total += memory.square(x)
    return total, memory.hits, memory.known


def is_new(seen, x):
    if x in seen:
        return False
    seen.add(x)
    return True


@samples((XS,))
def filled_by_a_helper(xs):
    seen = set()
    return sum(is_new(seen, x) for x in xs), len(seen)


@samples((XS,))
def removed_again(xs):
    waiting = set(range(5))
    places = {1: 5}
    for i, x in enumerate(xs):
        waiting.discard(x)
        places[x] = i
    del places[xs[0]]
    return sorted(waiting), places.pop(xs[1]), places.setdefault(xs[3], 0), places


@samples((XS,))
def over_items(xs):
    counts = {}
    for x in xs:
        counts[x] = counts.get(x, 0) + 1
    common, most = -1, 0
    for x, count in counts.items():
        if count > most:
            common, most = x, count
    total = 0
    for x in counts:
        total += x
    return common, most, total


@samples((3,), (-3,))
def member_on_one_path(x):
    found = set()
    if x > 0:
        found.add(3)
    return found, 3 in found


@samples((PAIRS,), (PAIRS[:1],), (PAIRS[:0],))
def updated_by_pairs(pairs):
    counts, seen, last = Counter(), {0}, {}
    rows = [(int(u), int(v)) for u, v in pairs]
    for u, v in rows:
        counts.update((u, v))
        seen.update((u, v), [u + v])
        last.update([(u, v), (v, u)])
        last.update({0: v})
    counts.subtract([u for u, _ in rows])
    counts.update({1: 5})
    counts.update(v for _, v in rows if v > 2)
    return counts, seen, last


@samples((1,), (3,), (-1,))
def set_without_a_member_on_one_path(x):
    choices = {0: {1, 2}, 1: {3}}
    if x > 0:
        choices[0] = choices[0] - {x}
    kept = {1, 2} if x > 2 else {5}
    return choices, kept, len(kept), 5 in kept
