import numpy as np

import autograph_rs as ag


def wrong():
    @ag.function
    def pick(seed):
        rng = np.random.default_rng(seed)
        return [(1, 2), (3,)][rng.integers(2)]  # <-- here

    return pick(0)[0]


def repaired():
    @ag.function
    def pick(seed):
        rng = np.random.default_rng(seed)
        return [(1, 2), (3, 0)][rng.integers(2)]

    return pick(0)[0]


EXPECTED = 3
