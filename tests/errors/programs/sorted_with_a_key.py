import numpy as np

import autograph_rs as ag


def wrong():
    @ag.function
    def largest(x):
        return sorted(x, key=lambda v: -v)[0]  # <-- here

    return largest(np.array([1.0, 3.0, 2.0]))


def repaired():
    @ag.function
    def largest(x):
        return x[np.argsort(-x)][0]

    return largest(np.array([1.0, 3.0, 2.0]))


EXPECTED = 3.0
