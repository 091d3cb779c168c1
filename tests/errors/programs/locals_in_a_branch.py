import numpy as np

import autograph_rs as ag


def wrong():
    @ag.function
    def count(x):
        y = 0
        if x > 0:  # <-- here
            y = locals()["x"] * 2
        return y

    return count(np.float64(3.0))


def repaired():
    @ag.function
    def count(x):
        y = 0
        if x > 0:
            y = x * 2
        return y

    return count(np.float64(3.0))


EXPECTED = 6.0
