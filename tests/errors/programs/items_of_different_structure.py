import numpy as np

import autograph_rs as ag


def wrong():
    @ag.function
    def pick(i):
        return [(1, 2), (3,)][i]  # <-- here

    return pick(np.int64(0))[1]


def repaired():
    @ag.function
    def pick(i):
        return [(1, 2), (3, 0)][i]

    return pick(np.int64(0))[1]


EXPECTED = 2
