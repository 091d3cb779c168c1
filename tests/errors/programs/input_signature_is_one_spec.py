import numpy as np

import autograph_rs as ag


def wrong():
    return ag.function(lambda x: x + 1, input_signature=ag.TensorSpec((None,)))(np.ones(2))  # <-- here


def repaired():
    return ag.function(lambda x: x + 1, input_signature=[ag.TensorSpec((None,), "float64")])(np.ones(2))


EXPECTED = [2.0, 2.0]
