import numpy as np

import autograph_rs as ag


def wrong():
    @ag.function
    def fill(x):
        flat = x.T.reshape(-1)
        flat[0] = 5.0  # <-- here
        return x

    return fill(np.zeros((2, 2)))[0, 0]


def repaired():
    @ag.function
    def fill(x):
        x[0, 0] = 5.0
        return x

    return fill(np.zeros((2, 2)))[0, 0]


EXPECTED = 5.0
