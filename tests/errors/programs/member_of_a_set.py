import numpy as np

import autograph_rs as ag


def wrong():
    @ag.function
    def distinct(x):
        return len(frozenset((x, x + 1)))  # <-- here

    return distinct(np.int64(2))


def repaired():
    @ag.function
    def distinct(x):
        return len(np.array([x, x + 1]))

    return distinct(np.int64(2))


EXPECTED = 2
