import numpy as np

import autograph_rs as ag


def wrong():
    class Step:
        def __init__(self, x):
            self.x = x

        def __hash__(self):
            return 1 if self.x > 0 else 2  # <-- here

    @ag.function
    def build(x):
        return hash(Step(x))

    return build(np.float64(1.0))


def repaired():
    class Step:
        def __init__(self, x):
            self.x = x

        def key(self):
            return 1 if self.x > 0 else 2

    @ag.function
    def build(x):
        return Step(x).key()

    return build(np.float64(1.0))


EXPECTED = 1
