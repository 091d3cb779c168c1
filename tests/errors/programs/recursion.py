import numpy as np

import autograph_rs as ag


def wrong():
    @ag.function
    def nested_sum(x, n):
        def nest(x, n):
            if n == 0:
                return np.sum(x)
            return nest(x[None], n - 1)  # <-- here

        return nest(x, n)

    return nested_sum(np.ones(3), np.int64(2))


def repaired():
    @ag.function
    def nested_sum(x, n):
        def nest(x, n):
            if n == 0:
                return np.sum(x)
            return nest(x * 1.0, n - 1)

        return nest(x, n)

    return nested_sum(np.ones(3), np.int64(2))


EXPECTED = 3.0
