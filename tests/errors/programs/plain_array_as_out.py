import numpy as np

import autograph_rs as ag


def wrong():
    @ag.function
    def double(x):
        rows = np.zeros((3, 2)).T
        np.multiply(x, 2, out=rows[0])  # <-- here
        return rows

    return double(np.ones(3))


def repaired():
    @ag.function
    def double(x):
        rows = np.zeros((2, 3))
        np.multiply(x, 2, out=rows[0])
        return rows

    return double(np.ones(3))


EXPECTED = [[2.0, 2.0, 2.0], [0.0, 0.0, 0.0]]
