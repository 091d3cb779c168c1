import numpy as np

import autograph_rs as ag


def wrong():
    @ag.function(input_signature=[ag.TensorSpec((None,))])
    def pair(x):
        first, second = x[x > 0]  # <-- here
        return first + second

    return pair(np.array([1.0, -1.0, 2.0]))


def repaired():
    @ag.function(input_signature=[ag.TensorSpec((None,))])
    def pair(x):
        kept = x[x > 0]
        return kept[0] + kept[1]

    return pair(np.array([1.0, -1.0, 2.0]))


EXPECTED = 3.0
