import numpy as np

import autograph_rs as ag


def wrong():
    return ag.Variable(1.0, dtype="floaty") + np.ones(1)  # <-- here


def repaired():
    return ag.Variable(1.0, dtype="float64") + np.ones(1)


EXPECTED = [2.0]
