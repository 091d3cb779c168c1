import numpy as np

import autograph_rs as ag


def wrong():
    spec = ag.TensorSpec((-1,))  # <-- here
    return ag.function(lambda x: x + 1, input_signature=[spec])(np.ones(3))


def repaired():
    spec = ag.TensorSpec((None,))
    return ag.function(lambda x: x + 1, input_signature=[spec])(np.ones(3))


EXPECTED = [2.0, 2.0, 2.0]
