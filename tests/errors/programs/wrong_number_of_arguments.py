import numpy as np

import autograph_rs as ag


def wrong():
    @ag.function
    def outer(x):
        def inner(a, b):
            return a + b

        if x > 0:
            x = inner(x)  # <-- here
        return x

    return outer(np.float64(1.0))


def repaired():
    @ag.function
    def outer(x):
        def inner(a, b):
            return a + b

        if x > 0:
            x = inner(x, 1)
        return x

    return outer(np.float64(1.0))


EXPECTED = 2.0
