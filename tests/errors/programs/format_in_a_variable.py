import numpy as np

import autograph_rs as ag

TEMPLATE = "%s items"


def wrong():
    @ag.function
    def told(n):
        return TEMPLATE % n  # <-- here

    return told(np.int64(3))


def repaired():
    @ag.function
    def told(n):
        return TEMPLATE % (n,)

    return told(np.int64(3))


EXPECTED = "3 items"
