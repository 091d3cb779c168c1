import numpy as np

import autograph_rs as ag


def wrong():
    @ag.function
    def pad(x):
        return "{:>3}".format(x)  # <-- here

    return pad(np.int64(5))


def repaired():
    @ag.function
    def pad(x):
        return f"{x:>3}"

    return pad(np.int64(5))


EXPECTED = "  5"
