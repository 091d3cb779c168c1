import numpy as np

import autograph_rs as ag


def wrong():
    @ag.function
    def zeros(n):
        return len((0,) * n)  # <-- here

    return zeros(np.int64(3))


def repaired():
    @ag.function
    def zeros(n):
        return len(np.full(n, 0))

    return zeros(np.int64(3))


EXPECTED = 3
