import numpy as np

import autograph_rs as ag


def wrong():
    kept = []

    @ag.function
    def keep(x):
        kept.append(x + 1)
        return x

    keep(np.ones(2))
    return kept[0] + 1  # <-- here


def repaired():
    @ag.function
    def keep(x):
        return x + 1

    kept = [keep(np.ones(2))]
    return kept[0] + 1


EXPECTED = [3.0, 3.0]
