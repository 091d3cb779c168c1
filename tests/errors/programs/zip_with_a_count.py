import itertools

import numpy as np

import autograph_rs as ag


def wrong():
    @ag.function
    def weighted(xs):
        t = 0.0
        for x, w in zip(xs, itertools.count(0.5)):  # <-- here
            t += x * w
        return t

    return weighted(np.array([1.0, 2.0, 3.0]))


def repaired():
    @ag.function
    def weighted(xs):
        t = 0.0
        for i, x in enumerate(xs):
            t += x * (i + 0.5)
        return t

    return weighted(np.array([1.0, 2.0, 3.0]))


EXPECTED = 11.0
