import numpy as np

import autograph_rs as ag


def wrong():
    @ag.function
    def double(x):
        y = np.empty(3)
        np.multiply(x, 2, out=y)  # <-- here
        return y

    return double(np.ones(3))


def repaired():
    @ag.function
    def double(x):
        y = np.multiply(x, 2)
        return y

    return double(np.ones(3))


EXPECTED = [2.0, 2.0, 2.0]
