import numpy as np

import autograph_rs as ag


def wrong():
    @ag.function
    def rest(n):
        return pow(int(n), 5, 3)  # <-- here

    return rest(np.int64(2))


def repaired():
    @ag.function
    def rest(n):
        return (int(n) ** 5) % 3

    return rest(np.int64(2))


EXPECTED = 2
