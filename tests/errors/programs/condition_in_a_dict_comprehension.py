import numpy as np

import autograph_rs as ag


def wrong():
    @ag.function
    def table(x):
        found = {k: k * x for k in range(3) for _ in range(1) if x > k}  # <-- here
        return sum(found.values())

    return table(np.int64(2))


def repaired():
    @ag.function
    def table(x):
        found = [k * x for k in range(3) if x > k]
        return sum(found)

    return table(np.int64(2))


EXPECTED = 2
