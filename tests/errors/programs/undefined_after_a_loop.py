import numpy as np

import autograph_rs as ag


def wrong():
    @ag.function
    def last(n):
        for i in range(n):
            found = i * 2
        return found  # <-- here

    return last(np.int64(0))


def repaired():
    @ag.function
    def last(n):
        found = -1
        for i in range(n):
            found = i * 2
        return found

    return last(np.int64(0))


EXPECTED = -1
