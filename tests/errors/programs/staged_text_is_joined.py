import numpy as np

import autograph_rs as ag


def wrong():
    @ag.function
    def told(x):
        return ", ".join([str(x), "a"])  # <-- here

    return told(np.float64(1))


def repaired():
    @ag.function
    def told(x):
        return str(x) + ", " + "a"

    return told(np.float64(1))


EXPECTED = "1.0, a"
