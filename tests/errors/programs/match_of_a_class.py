import numpy as np

import autograph_rs as ag


def wrong():
    @ag.function
    def kind(x):
        match x:  # <-- here
            case np.ndarray():
                return 1
            case _:
                return 2

    return kind(np.ones(2))


def repaired():
    @ag.function
    def kind(x):
        if isinstance(x, np.ndarray):
            return 1
        return 2

    return kind(np.ones(2))


EXPECTED = 1
