import numpy as np

import autograph_rs as ag


def wrong():
    @ag.function
    def order(x):
        items = [3, 1]
        if x > 0:
            items.append(2)
        items.sort()  # <-- here
        return items[0]

    return order(np.float64(1.0))


def repaired():
    @ag.function
    def order(x):
        items = [3, 1]
        if x > 0:
            items.append(2)
        return np.sort(np.array(items))[0]

    return order(np.float64(1.0))


EXPECTED = 1
