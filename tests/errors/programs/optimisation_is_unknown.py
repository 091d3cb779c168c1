import numpy as np

import autograph_rs as ag


def wrong():
    return ag.function(lambda x: x + 1, optimise=["fold", "inline"])(np.int64(2))  # <-- here


def repaired():
    return ag.function(lambda x: x + 1, optimise=["fold", "cse"])(np.int64(2))


EXPECTED = 3
