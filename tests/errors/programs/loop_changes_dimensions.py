import numpy as np

import autograph_rs as ag


def wrong():
    @ag.function
    def widen(x):
        row = np.zeros(2)
        while np.sum(row) < x:  # <-- here
            row = np.ones((2, 2)) * x
        return np.sum(row)

    return widen(np.float64(3.0))


def repaired():
    @ag.function
    def widen(x):
        row = np.zeros((2, 2))
        while np.sum(row) < x:
            row = np.ones((2, 2)) * x
        return np.sum(row)

    return widen(np.float64(3.0))


EXPECTED = 12.0
