import numpy as np

import autograph_rs as ag


table = np.zeros(3)


def wrong():
    @ag.function
    def fill(x):
        table[0] = x  # <-- here
        return table[0]

    return fill(np.float64(2.0))


def repaired():
    @ag.function
    def fill(x):
        mine = table.copy()
        mine[0] = x
        return mine[0]

    return fill(np.float64(2.0))


EXPECTED = 2.0
