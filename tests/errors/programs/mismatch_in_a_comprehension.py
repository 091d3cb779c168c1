import numpy as np

import autograph_rs as ag


def wrong():
    @ag.function
    def chosen(x):
        return [v for v in (1, "a") if x > 1]  # <-- here

    return chosen(np.int64(3))


def repaired():
    @ag.function
    def chosen(x):
        return [v for v in (1, 2) if x > 1]

    return chosen(np.int64(3))


EXPECTED = [1, 2]
