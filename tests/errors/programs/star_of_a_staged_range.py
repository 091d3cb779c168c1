import numpy as np

import autograph_rs as ag


def wrong():
    def total(*values):
        return sum(values)

    @ag.function
    def add(n):
        return total(*range(n))  # <-- here

    return add(np.int64(4))


def repaired():
    @ag.function
    def add(n):
        total = 0
        for i in range(n):
            total += i
        return total

    return add(np.int64(4))


EXPECTED = 6
