import numpy as np

import autograph_rs as ag


def wrong():
    @ag.function
    def is_ready(xs):
        queue = []
        for x in xs:
            if x > 0:
                queue.append(x)
        return int(queue and xs[0] > 0)  # <-- here

    return is_ready(np.array([1.0, 2.0]))


def repaired():
    @ag.function
    def is_ready(xs):
        queue = []
        for x in xs:
            if x > 0:
                queue.append(x)
        return int(len(queue) > 0 and xs[0] > 0)

    return is_ready(np.array([1.0, 2.0]))


EXPECTED = 1
