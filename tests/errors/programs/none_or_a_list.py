import numpy as np

import autograph_rs as ag


def wrong():
    @ag.function
    def place(xs):
        found = None
        for x in xs:
            if x > 0:  # <-- here
                found = [x, "high"]
        return 0.0 if found is None else found[0]

    return place(np.array([3.0]))


def repaired():
    @ag.function
    def place(xs):
        found = (0.0, 1.0)
        for x in xs:
            if x > 0:
                found = (x, 1.0)
        return found[0]

    return place(np.array([3.0]))


EXPECTED = 3.0
