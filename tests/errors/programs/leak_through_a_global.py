import numpy as np

import autograph_rs as ag


def wrong():
    @ag.function
    def keep(x):
        global latest
        latest = x + 1
        return x

    keep(np.float64(1.0))
    return latest * 2  # <-- here


def repaired():
    @ag.function
    def keep(x):
        return x + 1

    return keep(np.float64(1.0)) * 2


EXPECTED = 4.0
