import numpy as np

import autograph_rs as ag


def wrong():
    @ag.function
    def name(xs):
        last = 0.0
        for x in xs:
            last = x if x > 0 else "negative"  # <-- here
        return last

    return name(np.array([-1.0]))


def repaired():
    @ag.function
    def name(xs):
        last = 0.0
        for x in xs:
            last = x if x > 0 else np.nan
        return last

    return name(np.array([-1.0]))


EXPECTED = float("nan")
