import numpy as np

import autograph_rs as ag


def wrong():
    @ag.function
    def look_up(i):
        table = {0: 1.0, 1: 2.0}
        return table[i]  # <-- here

    return look_up(np.int64(1))


def repaired():
    @ag.function
    def look_up(i):
        table = [1.0, 2.0]
        return table[i]

    return look_up(np.int64(1))


EXPECTED = 2.0
