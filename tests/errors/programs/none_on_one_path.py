import numpy as np

import autograph_rs as ag


def wrong():
    @ag.function
    def root(x):
        if x >= 0:  # <-- here
            return np.sqrt(x)

    return root(np.float64(9.0))


def repaired():
    @ag.function
    def root(x):
        if x >= 0:
            return np.sqrt(x)
        return np.nan

    return root(np.float64(9.0))


EXPECTED = 3.0
