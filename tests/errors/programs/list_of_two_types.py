import numpy as np

import autograph_rs as ag


def wrong():
    @ag.function
    def collect(n):
        items = [1.0]
        for i in range(n):
            items.append("x")  # <-- here
        return len(items)

    return collect(np.int64(2))


def repaired():
    @ag.function
    def collect(n):
        items = [1.0]
        for i in range(n):
            items.append(2.0)
        return len(items)

    return collect(np.int64(2))


EXPECTED = 3
