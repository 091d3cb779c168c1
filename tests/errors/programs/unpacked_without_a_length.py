import numpy as np

import autograph_rs as ag


def wrong():
    @ag.function(input_signature=[ag.TensorSpec((None,))])
    def pair(x):
        return np.hypot(*x[x > 0])  # <-- here

    return pair(np.array([3.0, -1.0, 4.0]))


def repaired():
    @ag.function(input_signature=[ag.TensorSpec((None,))])
    def pair(x):
        first, second = x[x > 0]
        return np.hypot(first, second)

    return pair(np.array([3.0, -1.0, 4.0]))


EXPECTED = 5.0
