import numpy as np

import autograph_rs as ag


def clip(x):
    return x if x > 0 else 0.0


def wrong():
    return ag.to_graph(clip, recursive="no")(np.float64(-1))  # <-- here


def repaired():
    return ag.to_graph(clip, recursive=False)(np.float64(-1))


EXPECTED = 0.0
