import os
import tempfile

import numpy as np

import autograph_rs as ag


def wrong():
    return ag.load(3)(np.ones(2))  # <-- here


def repaired():
    with tempfile.TemporaryDirectory() as folder:
        double = ag.function(lambda x: x * 2)
        ag.save(double.get_concrete_function(np.ones(2)), os.path.join(folder, "3"))
        return ag.load(os.path.join(folder, "3"))(np.ones(2))


EXPECTED = [2.0, 2.0]
