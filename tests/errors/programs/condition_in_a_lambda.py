import numpy as np

import autograph_rs as ag


def wrong():
    @ag.function
    def table(x):
        multiples = lambda n: [k * x for k in range(n) for _ in range(1) if x > k]  # <-- here
        return sum(multiples(3))

    return table(np.int64(2))


def repaired():
    @ag.function
    def table(x):
        def multiples(n):
            return [k * x for k in range(n) for _ in range(1) if x > k]

        return sum(multiples(3))

    return table(np.int64(2))


EXPECTED = 2
