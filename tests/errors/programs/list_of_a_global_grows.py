import numpy as np

import autograph_rs as ag


seen = []


def wrong():
    @ag.function
    def note(x):
        if x > 0:  # <-- here
            seen.append(x)
        return x

    return note(np.float64(2.0))


def repaired():
    @ag.function
    def note(x):
        mine = []
        if x > 0:
            mine.append(x)
        return mine

    seen.extend(note(np.float64(2.0)))
    return len(seen)


EXPECTED = 1
