import numpy as np

import autograph_rs as ag


def wrong():
    @ag.function
    def grow(n):
        items = [0]
        kept = (items, n)
        for i in range(n):  # <-- here
            items.append(i)
        return len(kept[0])

    return grow(np.int64(3))


def repaired():
    @ag.function
    def grow(n):
        items = [0]
        for i in range(n):
            items.append(i)
        return len(items)

    return grow(np.int64(3))


EXPECTED = 4
