import numpy as np

import autograph_rs as ag


def wrong():
    @ag.function
    def build(x):
        class Step:
            if x > 0:  # <-- here
                size = 1
            else:
                size = 2

        return Step.size

    return build(np.float64(1.0))


def repaired():
    @ag.function
    def build(x):
        chosen = 1 if x > 0 else 2

        class Step:
            size = chosen

        return Step.size

    return build(np.float64(1.0))


EXPECTED = 1
