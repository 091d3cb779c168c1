import numpy as np

import autograph_rs as ag


def wrong():
    @ag.function
    def search(x):
        total = 0
        for i in iter(lambda: 2, None):  # <-- here
            total += i
            if total * total > x:
                break
        return total

    return search(np.int64(20))


def repaired():
    @ag.function
    def search(x):
        total = 0
        while total * total <= x:
            total += 2
        return total

    return search(np.int64(20))


EXPECTED = 6
