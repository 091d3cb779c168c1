import numpy as np

import autograph_rs as ag


def wrong():
    @ag.function
    def twice(xs):
        pairs = zip(xs, xs)
        total = 0.0
        for a, b in pairs:
            total += a * b
        for a, b in pairs:  # <-- here
            total += a
        return total

    return twice(np.array([1.0, 2.0]))


def repaired():
    @ag.function
    def twice(xs):
        total = 0.0
        for a, b in zip(xs, xs):
            total += a * b
        for a, b in zip(xs, xs):
            total += a
        return total

    return twice(np.array([1.0, 2.0]))


EXPECTED = 8.0
