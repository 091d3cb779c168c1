import numpy as np

import autograph_rs as ag


def wrong():
    @ag.function
    def total(x, axis):
        return np.sum(x, axis=axis)  # <-- here

    return total(np.ones((2, 3)), np.int64(0))


def repaired():
    @ag.function
    def total(x, axis):
        return np.sum(x, axis=axis)

    return total(np.ones((2, 3)), 0)


EXPECTED = [2.0, 2.0, 2.0]
