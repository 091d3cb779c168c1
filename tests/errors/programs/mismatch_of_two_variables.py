import numpy as np

import autograph_rs as ag


def wrong():
    @ag.function
    def split(x):
        left, right = 0.0, None
        if x > 0:  # <-- here
            left = x
            right = np.zeros(2)
        else:
            left = "negative"
            right = {"a": x}
        return left, right

    return split(np.float64(1.0))


def repaired():
    @ag.function
    def split(x):
        left, right = 0.0, None
        if x > 0:
            left = x
            right = np.zeros(2)
        else:
            left = -x
            right = np.ones(2)
        return left, right

    return split(np.float64(1.0))


EXPECTED = (1.0, [0.0, 0.0])
