import numpy as np

import autograph_rs as ag


def wrong():
    @ag.function
    def swap(i, j):
        rows = [[1, 2], [3, 4]]
        rows[i], rows[j] = rows[j], rows[i]  # <-- here
        return rows

    return swap(np.int64(0), np.int64(1))


def repaired():
    @ag.function
    def swap(i, j):
        rows = np.array([[1, 2], [3, 4]])
        rows[i], rows[j] = rows[j].copy(), rows[i].copy()
        return rows

    return swap(np.int64(0), np.int64(1))


EXPECTED = [[3, 4], [1, 2]]
