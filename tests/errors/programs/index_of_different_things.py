import numpy as np

import autograph_rs as ag


def wrong():
    @ag.function
    def pick(i):
        return [1.0, "two"][i]  # <-- here

    return pick(np.int64(0))


def repaired():
    @ag.function
    def pick(i):
        return [1.0, 2.0][i]

    return pick(np.int64(0))


EXPECTED = 1.0
