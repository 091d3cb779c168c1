import numpy as np

import autograph_rs as ag


def wrong():
    @ag.function
    def remember(x, seen=[]):  # noqa: B006 - what the program shows
        seen.append(x)
        return len(seen)

    remember(np.float64(1))  # <-- here
    return remember(np.float64(2))


def repaired():
    @ag.function
    def remember(x, seen):
        seen.append(x)
        return len(seen)

    seen = []
    remember(np.float64(1), seen)
    return remember(np.float64(2), seen)


EXPECTED = 2
