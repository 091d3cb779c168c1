import numpy as np

import autograph_rs as ag


def wrong():
    @ag.function
    def gaps(n):
        found = []
        for i in range(n):
            found.append(frozenset((i,)))  # <-- here
        return len(found)

    return gaps(np.int64(3))


def repaired():
    @ag.function
    def gaps(n):
        found = []
        for i in range(n):
            found.append(i)
        return len(found)

    return gaps(np.int64(3))


EXPECTED = 3
