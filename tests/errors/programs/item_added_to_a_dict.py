import numpy as np

import autograph_rs as ag


def wrong():
    @ag.function
    def counted(k):
        counts = {1: 0, 2: 0}
        counts[k] = 1  # <-- here
        return counts

    return counted(np.int64(3))


def repaired():
    @ag.function
    def counted(k):
        counts = {key: 0 for key in range(4)}
        counts[k] = 1
        return counts[3]

    return counted(np.int64(3))


EXPECTED = 1
