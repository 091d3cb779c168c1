import numpy as np

import autograph_rs as ag


def wrong():
    @ag.function
    def remember(x):
        table = dict.fromkeys((x,), 1)  # <-- here
        return table[x]

    return remember(np.int64(2))


def repaired():
    @ag.function
    def remember(x):
        table = np.zeros(4, int)
        table[x] = 1
        return table[x]

    return remember(np.int64(2))


EXPECTED = 1
