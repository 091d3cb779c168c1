import numpy as np

import autograph_rs as ag


def wrong():
    @ag.function
    def cut(n):
        rows = [1, 2, 3]
        rows[n::2] = [9]  # <-- here
        return rows

    return cut(np.int64(1))


def repaired():
    @ag.function
    def cut(n):
        rows = [1, 2, 3]
        rows[n] = 9
        return rows

    return cut(np.int64(1))


EXPECTED = [1, 9, 3]
