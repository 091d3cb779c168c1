import numpy as np

import autograph_rs as ag


def wrong():
    @ag.function
    def first(kind):
        table = [[1, 2], [3, 4]]
        row = table[kind]
        table[0][0] = 5
        return row[0]  # <-- here

    return first(np.int64(0))


def repaired():
    @ag.function
    def first(kind):
        table = [[1, 2], [3, 4]]
        table[0][0] = 5
        row = table[kind]
        return row[0]

    return first(np.int64(0))


EXPECTED = 5
