import numpy as np

import autograph_rs as ag


def wrong():
    @ag.function
    def length(x):
        match x:  # <-- here
            case np.ndarray(shape=(n,)):
                return n
            case _:
                return 1

    return length(np.ones(2))


def repaired():
    @ag.function
    def length(x):
        match np.shape(x):
            case (n,):
                return n
            case _:
                return 1

    return length(np.ones(2))


EXPECTED = 2
