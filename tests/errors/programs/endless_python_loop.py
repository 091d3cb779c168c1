import itertools

import numpy as np

import autograph_rs as ag


def wrong():
    @ag.function
    def search(x):
        for i in itertools.count():  # <-- here
            if i * i > x:
                break
        return i

    return search(np.int64(20))


def repaired():
    @ag.function
    def search(x):
        i = 0
        while i * i <= x:
            i += 1
        return i

    return search(np.int64(20))


EXPECTED = 5
