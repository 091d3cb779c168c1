"""Lists and text that are repeated a staged number of times, runs of equal items, and counts by frequency."""

from collections import Counter
from dataclasses import dataclass
from itertools import groupby

import numpy as np

from autograph_rs.testing import samples

XS = np.array([3, 1, 1, 3, 3, 4])
ZS = np.array([], int)


@samples((np.array([1.0, 2.0]),))
def padded_rows(xs):
    rows = [[x for x in xs if x > 0], [x for x in xs if x > 1]]
    short = rows[1] + [0.0] * (len(rows[0]) - len(rows[1]))
    return short, sum(short)


@samples((XS,), (ZS,))
def run_lengths(xs):
    letters = []
    for x in xs:
        letters.append("L" if x > 2 else "S")
    return "".join(f"{len(list(run))}{letter}" for letter, run in groupby(letters))


@samples((XS,), (ZS,))
def runs_by_key(xs):
    sums = [(k, sum(run)) for k, run in groupby(xs, key=lambda x: x > 2)]
    longest = 0
    for is_large, run in groupby([x > 2 for x in xs]):
        count = sum(1 for _ in run)
        if is_large and count > longest:
            longest = count
    return sums, longest


@samples((XS, np.int64(1)), (XS, np.int64(-1)), (ZS, np.int64(2)))
def most_common_items(xs, n):
    counts = Counter(xs)
    return counts.most_common(), counts.most_common(n), counts.most_common(1), counts.total()


@samples((XS,))
def most_common_of_plain_keys(xs):
    counts = Counter({"small": 0, "large": 0, "none": 0})
    for x in xs:
        counts["large" if x > 2 else "small"] += 1
    return counts.most_common(2)


@samples((XS,), (ZS,))
def counted_at_a_list(xs):
    counts = np.zeros(5, int)
    kept = [x for x in xs if x != 4]
    if kept:
        np.add.at(counts, kept, 1)
    return counts


@samples((XS, np.int64(2)), (XS, np.int64(9)))
def best_or_default(xs, limit):
    kept = [x for x in xs if x > limit]
    best = min(range(len(kept)), key=lambda i: -kept[i], default=None)
    return None if best is None else kept[best], max(xs[xs > limit], default=0)


@dataclass(frozen=True)
class Weight:
    of: float


@samples((np.array([3.0, 1.0, 2.0]),), (np.array([0.0]),))
def zipped_with_objects(xs):
    total = 0.0
    for weight, x in zip([Weight(1.0), Weight(2.0)], xs):  # noqa: B905 - any length
        total += weight.of * x
    return total


@samples((XS,))
def path_to_the_start(xs):
    parent = {(int(xs[0]), 0): None}
    for i in range(1, len(xs)):
        parent[int(xs[i]), i] = int(xs[i - 1]), i - 1
    cell, path = (int(xs[-1]), len(xs) - 1), []
    while cell is not None:
        path.append(cell)
        cell = parent[cell]
    return path[::-1]


@samples((XS,))
def tuples_or_none_in_a_list(xs):
    found, total = [], 0
    for x in xs:
        found.append((x, 1) if x > 1 else None)
    for pair in found:
        if pair is not None:
            total += pair[0] + pair[1]
    return found, total
