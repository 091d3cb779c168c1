import numpy as np

import autograph_rs as ag


def wrong():
    return ag.function(lambda x: x + 1, input_signature=[np.float64])(np.float64(2))  # <-- here


def repaired():
    return ag.function(lambda x: x + 1, input_signature=[ag.TensorSpec((), "float64")])(np.float64(2))


EXPECTED = 3.0
