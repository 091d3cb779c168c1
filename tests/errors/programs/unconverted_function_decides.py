import numpy as np

import autograph_rs as ag


def wrong():
    @ag.do_not_convert
    def sign(x):
        return 1 if x > 0 else -1  # <-- here

    @ag.function
    def signed(x):
        return sign(x) * 2

    return signed(np.float64(2.0))


def repaired():
    def sign(x):
        return 1 if x > 0 else -1

    @ag.function
    def signed(x):
        return sign(x) * 2

    return signed(np.float64(2.0))


EXPECTED = 2
