import itertools

import numpy as np

import autograph_rs as ag


def wrong():
    @ag.function
    def search(x):
        total = 0
        for i in itertools.cycle([1, 2]):  # <-- here
            total += i
            if total * total > x:
                break
        return total

    return search(np.int64(20))


def repaired():
    @ag.function
    def search(x):
        total, i = 0, 0
        while total * total <= x:
            total += [1, 2][i % 2]
            i += 1
        return total

    return search(np.int64(20))


EXPECTED = 6
