import numpy as np

import autograph_rs as ag


def wrong():
    @ag.function
    def drain(x):
        items = [1, 2, 3]
        for item in items:
            if x > item:  # <-- here
                items.pop()
        return len(items)

    return drain(np.float64(0.0))


def repaired():
    @ag.function
    def drain(x):
        items = [1, 2, 3]
        for item in list(items):
            if x > item:
                items.pop()
        return len(items)

    return drain(np.float64(0.0))


EXPECTED = 3
