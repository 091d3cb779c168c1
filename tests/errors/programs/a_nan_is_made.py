import numpy as np

import autograph_rs as ag


def wrong():
    @ag.function
    def root(x):
        return np.sqrt(x - 1.0)  # <-- here

    with np.errstate(invalid="ignore"), ag.check_numerics():
        return root(np.float64(0.0))


def repaired():
    @ag.function
    def root(x):
        return np.sqrt(np.maximum(x - 1.0, 0.0))

    with np.errstate(invalid="ignore"), ag.check_numerics():
        return root(np.float64(0.0))


EXPECTED = 0.0
