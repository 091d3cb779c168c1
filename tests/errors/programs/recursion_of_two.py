import numpy as np

import autograph_rs as ag


def wrong():
    def even(n):
        return True if n == 0 else odd(n - 1)  # <-- here

    def odd(n):
        return False if n == 0 else even(n - 1)  # <-- here

    return ag.function(even)(np.int64(4))


def repaired():
    @ag.function
    def even(n):
        while n > 1:
            n = n - 2
        return n == 0

    return even(np.int64(4))


EXPECTED = True
