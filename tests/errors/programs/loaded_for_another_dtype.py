import tempfile
from pathlib import Path

import numpy as np

import autograph_rs as ag


def loaded():
    double = ag.function(lambda x: x * 2)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "double.json"
        ag.save(double.get_concrete_function(ag.TensorSpec((None,))), file)
        return ag.load(file)


def wrong():
    return loaded()(np.arange(2))  # <-- here


def repaired():
    return loaded()(np.arange(2.0))


EXPECTED = [0.0, 2.0]
