import statistics

import numpy as np

import autograph_rs as ag


def wrong():
    @ag.function
    def middle(x):
        return statistics.median([x, x + 1, x - 1])  # <-- here

    return middle(np.float64(2.0))


def repaired():
    @ag.function
    def middle(x):
        return np.median(np.array([x, x + 1, x - 1]))

    return middle(np.float64(2.0))


EXPECTED = 2.0
