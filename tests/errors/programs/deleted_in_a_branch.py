import numpy as np

import autograph_rs as ag


def wrong():
    @ag.function
    def drop(x):
        y = x + 1
        if x > 0:
            del y
        return y  # <-- here

    return drop(np.float64(2.0))


def repaired():
    @ag.function
    def drop(x):
        y = x + 1
        if x > 0:
            y = 0.0
        return y

    return drop(np.float64(2.0))


EXPECTED = 0.0
