import numpy as np

import autograph_rs as ag


def wrong():
    def even(n, path):
        return path if n == 0 else odd(n - 1, path)

    def odd(n, path):
        return path if n == 0 else even(n - 1, (*path, n))  # <-- here

    return ag.function(lambda n: len(even(n, (0,))))(np.int64(4))


def repaired():
    def even(n, length):
        return length if n == 0 else odd(n - 1, length)

    def odd(n, length):
        return length if n == 0 else even(n - 1, length + 1)

    return ag.function(lambda n: even(n, 1))(np.int64(4))


EXPECTED = 3
