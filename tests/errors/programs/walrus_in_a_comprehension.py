import numpy as np

import autograph_rs as ag


def wrong():
    @ag.function
    def kept(xs):
        return [y for x in xs if (y := x * 2) > 2]  # <-- here

    return np.sum(kept(np.array([1, 2, 3])))


def repaired():
    @ag.function
    def kept(xs):
        return [x * 2 for x in xs if x * 2 > 2]

    return np.sum(kept(np.array([1, 2, 3])))


EXPECTED = 10
