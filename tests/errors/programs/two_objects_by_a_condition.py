import numpy as np

import autograph_rs as ag


def wrong():
    @ag.function
    def choose(x):
        if x > 0:  # <-- here

            def step():
                return 1
        else:

            def step():
                return 2

        return step()

    return choose(np.float64(1.0))


def repaired():
    @ag.function
    def choose(x):
        def step():
            if x > 0:
                return 1
            return 2

        return step()

    return choose(np.float64(1.0))


EXPECTED = 1
