import numpy as np

import autograph_rs as ag


@ag.function
def increased(x, by=1):
    return x + by


def wrong():
    return increased(np.ones(2), step=2)  # <-- here


def repaired():
    return increased(np.ones(2), by=2)


EXPECTED = [3.0, 3.0]
