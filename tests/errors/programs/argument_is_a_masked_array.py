import numpy as np

import autograph_rs as ag


@ag.function
def total(x):
    return np.sum(x)


masked = np.ma.array([1.0, 2.0], mask=[False, False])


def wrong():
    return total(masked)  # <-- here


def repaired():
    return total(np.asarray(masked))


EXPECTED = 3.0
