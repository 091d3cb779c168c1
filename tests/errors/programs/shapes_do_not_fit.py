import numpy as np

import autograph_rs as ag


def wrong():
    @ag.function
    def add(x, y):
        return x + y  # <-- here

    return add(np.ones(2), np.ones(3))


def repaired():
    @ag.function
    def add(x, y):
        return x + y

    return add(np.ones(2), np.ones((3, 1)))


EXPECTED = [[2.0, 2.0]] * 3
