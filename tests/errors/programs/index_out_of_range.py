import numpy as np

import autograph_rs as ag


def wrong():
    @ag.function
    def fourth(x):
        return x[3]  # <-- here

    return fourth(np.ones(3))


def repaired():
    @ag.function
    def fourth(x):
        return x[2]

    return fourth(np.ones(3))


EXPECTED = 1.0
