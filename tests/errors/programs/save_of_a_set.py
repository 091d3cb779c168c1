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
    f = ag.function(lambda x: (x, {1, 2}))
    return saved_and_loaded(f.get_concrete_function(np.ones(2)), np.ones(2))


def repaired():
    f = ag.function(lambda x: (x, (1, 2)))
    return saved_and_loaded(f.get_concrete_function(np.ones(2)), np.ones(2))


EXPECTED = ([1.0, 1.0], (1, 2))
