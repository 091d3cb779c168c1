import numpy as np

import autograph_rs as ag


@ag.function(input_signature=[ag.TensorSpec((None,), "float64")])
def increased(x):
    return x + 1


def wrong():
    return increased(np.ones((1, 3)))  # <-- here


def repaired():
    return increased(np.ones(3))


EXPECTED = [2.0, 2.0, 2.0]
