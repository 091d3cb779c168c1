import itertools

import numpy as np

import autograph_rs as ag


def wrong():
    @ag.function
    def first(n):
        return list(itertools.islice([1, 2, 3, 4], n))  # <-- here

    return first(np.int64(3))


def repaired():
    @ag.function
    def first(n):
        return np.array([1, 2, 3, 4])[:n]

    return first(np.int64(3))


EXPECTED = [1, 2, 3]
