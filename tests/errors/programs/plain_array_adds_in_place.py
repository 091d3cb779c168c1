import numpy as np

import autograph_rs as ag


def wrong():
    @ag.function
    def total(x):
        t = np.zeros(2)
        t += x  # <-- here
        return t

    return total(np.ones(2))


def repaired():
    @ag.function
    def total(x):
        t = np.zeros(2)
        t = t + x
        return t

    return total(np.ones(2))


EXPECTED = [1.0, 1.0]
