import numpy as np

import autograph_rs as ag


def wrong():
    @ag.function
    def describe(xs):
        y = np.zeros(3)
        for x in xs:
            if x > 0:  # <-- here
                y = np.ones(3)
            else:
                y = "none"
        return y

    return describe(np.ones(2))


def repaired():
    @ag.function
    def describe(xs):
        y = np.zeros(3)
        for x in xs:
            if x > 0:
                y = np.ones(3)
            else:
                y = np.full(3, np.nan)
        return y

    return describe(np.ones(2))


EXPECTED = np.ones(3)
