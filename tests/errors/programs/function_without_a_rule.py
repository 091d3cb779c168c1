import numpy as np

import autograph_rs as ag


def wrong():
    @ag.function
    def rows(x):
        return np.apply_along_axis(sorted, 0, x)  # <-- here

    return rows(np.array([[2.0], [1.0]]))


def repaired():
    @ag.function
    def rows(x):
        return np.sort(x, axis=0)

    return rows(np.array([[2.0], [1.0]]))


EXPECTED = [[1.0], [2.0]]
