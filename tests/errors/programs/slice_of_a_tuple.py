import numpy as np

import autograph_rs as ag


def wrong():
    @ag.function
    def head(n):
        return sum((1, 2, 3, 4)[:n])  # <-- here

    return head(np.int64(2))


def repaired():
    @ag.function
    def head(n):
        return np.sum(np.array([1, 2, 3, 4])[:n])

    return head(np.int64(2))


EXPECTED = 3
