import os
import tempfile

import numpy as np

import autograph_rs as ag


def wrong():
    double = ag.function(lambda x: x * 2).get_concrete_function(np.ones(2))
    ag.save(double, "no such folder/double.json")  # <-- here
    return ag.load("no such folder/double.json")(np.ones(2))


def repaired():
    double = ag.function(lambda x: x * 2).get_concrete_function(np.ones(2))
    with tempfile.TemporaryDirectory() as folder:
        os.mkdir(os.path.join(folder, "made"))
        ag.save(double, os.path.join(folder, "made", "double.json"))
        return ag.load(os.path.join(folder, "made", "double.json"))(np.ones(2))


EXPECTED = [2.0, 2.0]
