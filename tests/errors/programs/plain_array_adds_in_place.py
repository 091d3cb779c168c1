import numpy as np

import autograph_rs as ag


def wrong():
    @ag.function
    def total(x):
        parts = (np.zeros(2), np.ones(2))
        t = parts[0]
        t += x  # <-- here
        return parts

    return total(np.ones(2))


def repaired():
    @ag.function
    def total(x):
        parts = (np.zeros(2), np.ones(2))
        t = parts[0] + x
        return t, parts[1]

    return total(np.ones(2))


EXPECTED = [[1.0, 1.0], [1.0, 1.0]]
