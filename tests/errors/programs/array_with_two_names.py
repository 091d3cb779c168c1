import numpy as np

import autograph_rs as ag


def wrong():
    @ag.function
    def fill(x):
        buffer = np.zeros(3)
        kept = (buffer, x)
        if x > 0:
            buffer[0] = x  # <-- here
        return kept[0][0]

    return fill(np.float64(2.0))


def repaired():
    @ag.function
    def fill(x):
        buffer = np.zeros(3)
        if x > 0:
            buffer[0] = x
        return buffer[0]

    return fill(np.float64(2.0))


EXPECTED = 2.0
