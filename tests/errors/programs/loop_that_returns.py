import numpy as np

import autograph_rs as ag


def wrong():
    @ag.function
    def large(xs):
        for x in xs:  # <-- here
            if x > 2:
                return x

    return large(np.array([1.0, 3.0]))


def repaired():
    @ag.function
    def large(xs):
        for x in xs:
            if x > 2:
                return x
        return np.nan

    return large(np.array([1.0, 3.0]))


EXPECTED = 3.0
