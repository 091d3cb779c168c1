import numpy as np

import autograph_rs as ag


def wrong():
    @ag.function
    def shift(xs):
        total = 0.0
        for x in xs:  # <-- here
            xs[0] = x
            total += x
        return total

    return shift(np.array([1.0, 2.0]))


def repaired():
    @ag.function
    def shift(xs):
        total = 0.0
        for x in xs.copy():
            xs[0] = x
            total += x
        return total

    return shift(np.array([1.0, 2.0]))


EXPECTED = 3.0
