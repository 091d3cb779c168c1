import numpy as np

import autograph_rs as ag


@ag.function
def increased(x, by=1):
    return x + by


trace = increased.get_concrete_function(ag.TensorSpec((3,)), 1)


def wrong():
    return trace(np.ones(3), 2)  # <-- here


def repaired():
    return trace(np.ones(3), 1)


EXPECTED = [2.0, 2.0, 2.0]
