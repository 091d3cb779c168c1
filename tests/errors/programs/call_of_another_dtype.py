import numpy as np

import autograph_rs as ag


@ag.function(input_signature=[ag.TensorSpec((None,), "float64")])
def increased(x):
    return x + 1


def wrong():
    return increased(np.arange(3))  # <-- here


def repaired():
    return increased(np.arange(3.0))


EXPECTED = [1.0, 2.0, 3.0]
