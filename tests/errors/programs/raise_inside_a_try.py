import numpy as np

import autograph_rs as ag


def wrong():
    @ag.function
    def checked(x):
        try:
            if x < 0:
                raise ValueError("negative")  # <-- here
            dir()  # keeps the statement in Python
        except ValueError:
            return -1.0
        return x

    return checked(np.float64(-2.0))


def repaired():
    @ag.function
    def checked(x):
        if x < 0:
            return -1.0
        return x

    return checked(np.float64(-2.0))


EXPECTED = -1.0
