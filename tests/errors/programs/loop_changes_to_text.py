import numpy as np

import autograph_rs as ag


def wrong():
    @ag.function
    def spell(n):
        name = 0
        for _ in range(n):  # <-- here
            name = "many"
        return name

    return spell(np.int64(2))


def repaired():
    @ag.function
    def spell(n):
        name = "none"
        for _ in range(n):
            name = "many"
        return name

    return spell(np.int64(2))


EXPECTED = "many"
