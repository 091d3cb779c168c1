import numpy as np

import autograph_rs as ag


def wrong():
    @ag.function
    def positive(x):
        assert x > 0, "not positive"  # <-- here
        return x

    return positive(np.float64(-2.0))


def repaired():
    @ag.function
    def positive(x):
        x = np.abs(x)
        assert x > 0, "not positive"
        return x

    return positive(np.float64(-2.0))


EXPECTED = 2.0
