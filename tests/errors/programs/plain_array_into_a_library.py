import numpy as np

import autograph_rs as ag


def wrong():
    @ag.function
    def store(x):
        rows = np.zeros(2)
        np.put(rows, 0, x)  # <-- here
        return rows

    return store(np.float64(1.0))


def repaired():
    @ag.function
    def store(x):
        rows = np.zeros(2)
        rows[0] = x
        return rows

    return store(np.float64(1.0))


EXPECTED = [1.0, 0.0]
