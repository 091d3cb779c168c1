import tempfile
from pathlib import Path

import numpy as np

import autograph_rs as ag


def saved_and_loaded(function, *args):
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "f.json"
        ag.save(function, file)  # <-- here
        return ag.load(file)(*args)


def wrong():
    return saved_and_loaded(ag.function(lambda x: x * 2), np.ones(2))


def repaired():
    double = ag.function(lambda x: x * 2)
    return saved_and_loaded(double.get_concrete_function(ag.TensorSpec((2,))), np.ones(2))


EXPECTED = [2.0, 2.0]
