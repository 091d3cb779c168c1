import numpy as np

import autograph_rs as ag


def wrong():
    @ag.function
    def add(x, total=np.zeros(1)):  # noqa: B008 - what the program shows
        total[0] += x  # <-- here
        return total[0]

    add(np.float64(1))
    return add(np.float64(2))


def repaired():
    @ag.function
    def add(x, total):
        total[0] += x
        return total[0]

    total = np.zeros(1)
    add(np.float64(1), total)
    return add(np.float64(2), total)


EXPECTED = 3
