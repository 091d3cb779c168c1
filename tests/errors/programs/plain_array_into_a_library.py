import numpy as np

import autograph_rs as ag

table = np.zeros(2)


def wrong():
    @ag.function
    def store(x):
        np.put(table, 0, x)  # <-- here
        return table

    return store(np.float64(1.0))


def repaired():
    @ag.function
    def store(x):
        own = table.copy()
        np.put(own, 0, x)
        return own

    return store(np.float64(1.0))


EXPECTED = [1.0, 0.0]
