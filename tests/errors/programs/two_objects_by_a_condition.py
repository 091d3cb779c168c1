import numpy as np

import autograph_rs as ag


def wrong():
    @ag.function
    def choose(xs):
        def step():
            return 0

        for x in xs:
            if x > 0:  # <-- here

                def step():
                    return 1
            else:

                def step():
                    return 2

        return step()

    return choose(np.array([1.0]))


def repaired():
    @ag.function
    def choose(xs):
        chosen = 0.0
        for x in xs:
            chosen = x

        def step():
            if chosen > 0:
                return 1
            return 2

        return step()

    return choose(np.array([1.0]))


EXPECTED = 1
