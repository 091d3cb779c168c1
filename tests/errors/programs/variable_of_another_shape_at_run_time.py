import numpy as np

import autograph_rs as ag


def wrong():
    kept = ag.Variable([0.0, 0.0], name="kept")

    @ag.function(input_signature=[ag.TensorSpec((None,))])
    def keep(x):
        kept.assign(x * 2)  # <-- here
        return kept

    return keep(np.ones(3))


def repaired():
    kept = ag.Variable([0.0, 0.0], name="kept")

    @ag.function(input_signature=[ag.TensorSpec((None,))])
    def keep(x):
        kept.assign(x * 2)
        return kept

    return keep(np.ones(2))


EXPECTED = [2.0, 2.0]
