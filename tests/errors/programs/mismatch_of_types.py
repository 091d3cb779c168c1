import numpy as np

import autograph_rs as ag


def wrong():
    @ag.function
    def describe(x):
        if np.sum(x) > 0:  # <-- here
            y = np.zeros(3)
        else:
            y = "none"
        return y

    return describe(np.ones(2))


def repaired():
    @ag.function
    def describe(x):
        if np.sum(x) > 0:
            y = np.zeros(3)
        else:
            y = np.full(3, np.nan)
        return y

    return describe(np.ones(2))


EXPECTED = np.zeros(3)
