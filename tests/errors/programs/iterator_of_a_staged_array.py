import numpy as np

import autograph_rs as ag


def wrong():
    @ag.function
    def dot(x):
        positive = iter(x[x > 0])
        total = 0.0
        for y in x:
            total += y * next(positive, 0.0)  # <-- here
        return total

    return dot(np.array([-1.0, 2.0]))


def repaired():
    @ag.function
    def dot(x):
        positive = x[x > 0]
        total = 0.0
        for i, y in enumerate(x):
            if i < len(positive):
                total += y * positive[i]
        return total

    return dot(np.array([-1.0, 2.0]))


EXPECTED = -2.0
