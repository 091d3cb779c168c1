import functools

import numpy as np

import autograph_rs as ag


def wrong():
    @functools.lru_cache
    def f(x):
        return x + 1 if x > 0 else x

    return ag.function(f)(np.int64(1))  # <-- here


def repaired():
    @functools.lru_cache
    def f(x):
        return x + 1 if x > 0 else x

    return ag.function(f.__wrapped__)(np.int64(1))


EXPECTED = 2
