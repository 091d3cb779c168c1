import numpy as np

import autograph_rs as ag


seen = {}


def wrong():
    @ag.function
    def note(x):
        if x > 0:  # <-- here
            seen["last"] = x
        return x

    return note(np.int64(2))


def repaired():
    @ag.function
    def note(x):
        last = 0
        if x > 0:
            last = x
        return last

    seen["last"] = note(np.int64(2))
    return seen["last"] + 1


EXPECTED = 3
