import tempfile
from pathlib import Path

import numpy as np

import autograph_rs as ag

double = ag.function(lambda x: x * 2)
double(np.ones(2))


def wrong():
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "double.json"
        ag.save(double, file)
        file.write_text(file.read_text().replace('"version": 1', '"version": 9'))
        return ag.load(file)(np.ones(2))  # <-- here


def repaired():
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "double.json"
        ag.save(double, file)
        return ag.load(file)(np.ones(2))


EXPECTED = [2.0, 2.0]
PLAIN = "it has no trace where none is made"
