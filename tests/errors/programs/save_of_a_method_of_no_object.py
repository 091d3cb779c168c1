import tempfile
from pathlib import Path

import numpy as np

import autograph_rs as ag


def saved_and_loaded(function, *args):
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "f.json"
        ag.save(function, file)  # <-- here
        return ag.load(file)(*args)


class Model:
    def __init__(self, rate):
        self.rate = rate

    @ag.function
    def predict(self, x):
        return x * self.rate


def wrong():
    model = Model(2)
    model.predict(np.ones(2))
    return saved_and_loaded(Model.predict, np.ones(2))


def repaired():
    model = Model(2)
    model.predict(np.ones(2))
    return saved_and_loaded(model.predict, np.ones(2))


EXPECTED = [2.0, 2.0]
PLAIN = "it has no trace where none is made"
