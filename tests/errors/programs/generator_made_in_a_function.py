import numpy as np

import autograph_rs as ag


def wrong():
    @ag.function
    def draw(x):
        rng = np.random.RandomState(0)  # <-- here
        return x + 0.0 * rng.rand()

    return draw(np.float64(1.0))


def repaired():
    @ag.function
    def draw(x):
        rng = np.random.default_rng(0)
        return x + 0.0 * rng.random()

    return draw(np.float64(1.0))


EXPECTED = 1.0
