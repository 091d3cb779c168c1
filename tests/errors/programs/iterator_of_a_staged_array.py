import numpy as np

import autograph_rs as ag


def wrong():
    @ag.function
    def first(x):
        return next(iter(x[x > 0]))  # <-- here

    return first(np.array([-1.0, 2.0]))


def repaired():
    @ag.function
    def first(x):
        return x[x > 0][0]

    return first(np.array([-1.0, 2.0]))


EXPECTED = 2.0
