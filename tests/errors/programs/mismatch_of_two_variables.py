import numpy as np

import autograph_rs as ag


def wrong():
    @ag.function
    def split(xs):
        left, right = 0.0, None
        for x in xs:
            if x > 0:  # <-- here
                left = x
                right = np.zeros(2)
            else:
                left = "negative"
                right = {"a": x}
        return left, right

    return split(np.array([1.0]))


def repaired():
    @ag.function
    def split(xs):
        left, right = 0.0, np.zeros(2)
        for x in xs:
            if x > 0:
                left = x
                right = np.zeros(2)
            else:
                left = -x
                right = np.ones(2)
        return left, right

    return split(np.array([1.0]))


EXPECTED = (1.0, [0.0, 0.0])
