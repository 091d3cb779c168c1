import numpy as np

import autograph_rs as ag


def wrong():
    @ag.function
    def name(x):
        return x if x > 0 else "negative"  # <-- here

    return name(np.float64(-1.0))


def repaired():
    @ag.function
    def name(x):
        return x if x > 0 else np.nan

    return name(np.float64(-1.0))


EXPECTED = float("nan")
