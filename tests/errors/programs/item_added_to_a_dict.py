import numpy as np

import autograph_rs as ag


def wrong():
    @ag.function
    def put(k):
        rows = {1: np.zeros(1), 2: np.zeros(1)}
        rows[k] = np.ones(1)  # <-- here
        return rows

    return put(np.int64(3))


def repaired():
    @ag.function
    def put(k):
        rows = {1: 0, 2: 0}
        rows[k] = 1
        return rows[3]

    return put(np.int64(3))


EXPECTED = 1
