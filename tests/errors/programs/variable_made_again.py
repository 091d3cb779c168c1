import numpy as np

import autograph_rs as ag


def wrong():
    @ag.function
    def count(x):
        total = ag.Variable(0)  # <-- here
        return total.assign_add(x)

    return count(np.int64(1))


def repaired():
    total = ag.Variable(0)

    @ag.function
    def count(x):
        return total.assign_add(x)

    return count(np.int64(1))


EXPECTED = 1
