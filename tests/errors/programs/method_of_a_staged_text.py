import numpy as np

import autograph_rs as ag


def wrong():
    @ag.function
    def name(n):
        s = "a" if n > 0 else "b"
        return s.upper()  # <-- here

    return name(np.int64(1))


def repaired():
    @ag.function
    def name(n):
        return "a".upper() if n > 0 else "b".upper()

    return name(np.int64(1))


EXPECTED = "A"
