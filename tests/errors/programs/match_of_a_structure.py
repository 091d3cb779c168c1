import numpy as np

import autograph_rs as ag


def wrong():
    @ag.function
    def corner(x):
        match (x, 2):
            case (3, 2):  # <-- here
                return 1
            case _:
                return 2

    return corner(np.int64(3))


def repaired():
    @ag.function
    def corner(x):
        if x == 3:
            return 1
        return 2

    return corner(np.int64(3))


EXPECTED = 1
