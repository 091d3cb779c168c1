import numpy as np

import autograph_rs as ag


def wrong():
    @ag.function
    def count(kind):
        table = [[0, 0], [0, 0]]
        table[kind][0] += 1  # <-- here
        return table

    return count(np.int64(1))[1][0]


def repaired():
    @ag.function
    def count(kind):
        table = np.array([[0, 0], [0, 0]])
        table[kind, 0] += 1
        return table

    return count(np.int64(1))[1][0]


EXPECTED = 1
