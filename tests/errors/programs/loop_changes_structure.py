import numpy as np

import autograph_rs as ag


def wrong():
    @ag.function
    def nest(n):
        pair = (0, 0)
        for i in range(n):  # <-- here
            pair = (pair, i)
        return pair

    return nest(np.int64(2))


def repaired():
    @ag.function
    def nest(n):
        pair = (0, 0)
        for i in range(n):
            pair = (pair[1], i)
        return pair

    return nest(np.int64(2))


EXPECTED = (0, 1)
