import numpy as np

import autograph_rs as ag


def wrong():
    @ag.function
    def pooled(x, depths):
        y = x
        for deep in depths:
            if deep > 0:  # <-- here
                y = np.sum(x, axis=0)
            else:
                y = x
        return y * 2.0

    return pooled(np.ones((2, 3)), np.array([1]))


def repaired():
    @ag.function
    def pooled(x, depths):
        y = x
        for deep in depths:
            if deep > 0:
                y = np.sum(x, axis=0, keepdims=True)
            else:
                y = x
        return y * 2.0

    return pooled(np.ones((2, 3)), np.array([1]))


EXPECTED = [[4.0, 4.0, 4.0]]
