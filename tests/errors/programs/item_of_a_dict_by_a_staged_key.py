import numpy as np

import autograph_rs as ag


def wrong():
    @ag.function
    def store(i):
        table = {0: 1.0, 1: 2.0}
        table[i] = 5.0  # <-- here
        return table[1]

    return store(np.int64(1))


def repaired():
    @ag.function
    def store(i):
        table = [1.0, 2.0]
        table[i] = 5.0
        return table[1]

    return store(np.int64(1))


EXPECTED = 5.0
