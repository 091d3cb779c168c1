import numpy as np

import autograph_rs as ag


def wrong():
    @ag.function
    def label(x):
        if x > 0:
            sign = 1
        return sign  # <-- here

    return label(np.float64(-2.0))


def repaired():
    @ag.function
    def label(x):
        sign = 0
        if x > 0:
            sign = 1
        return sign

    return label(np.float64(-2.0))


EXPECTED = 0
