import numpy as np

import autograph_rs as ag


factor = 3.0


def wrong():
    @ag.function
    def scale(x):
        if x > 0:
            x = x * factr  # <-- here
        return x

    return scale(np.float64(2.0))


def repaired():
    @ag.function
    def scale(x):
        if x > 0:
            x = x * factor
        return x

    return scale(np.float64(2.0))


EXPECTED = 6.0
