import numpy as np

import autograph_rs as ag


def wrong():
    @ag.function
    def start(x):
        total = ag.Variable(x)  # <-- here
        return total.assign_add(x)

    return start(np.float64(1.0))


def repaired():
    total = ag.Variable(0.0)

    @ag.function
    def start(x):
        total.assign(x)
        return total.assign_add(x)

    return start(np.float64(1.0))


EXPECTED = 2.0
