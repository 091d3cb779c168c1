import numpy as np

import autograph_rs as ag


def wrong():
    weights = ag.Variable([[1.0, 2.0], [3.0]])  # <-- here
    return np.sum(weights)


def repaired():
    weights = ag.Variable([[1.0, 2.0], [3.0, 0.0]])
    return np.sum(weights)


EXPECTED = 6.0
