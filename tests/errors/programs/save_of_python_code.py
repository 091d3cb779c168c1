import tempfile
from pathlib import Path

import numpy as np

import autograph_rs as ag


def saved_and_loaded(function, *args):
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "f.json"
        ag.save(function, file)
        return ag.load(file)(*args)


def scaled(x):
    return ag.py_function(lambda v: v * 2, [x], ag.TensorSpec((2,)))  # <-- here


def wrong():
    return saved_and_loaded(ag.function(scaled).get_concrete_function(np.ones(2)), np.ones(2))


def repaired():
    return saved_and_loaded(ag.function(lambda x: x * 2).get_concrete_function(np.ones(2)), np.ones(2))


EXPECTED = [2.0, 2.0]
