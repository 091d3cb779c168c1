import functools

import numpy as np

import autograph_rs as ag


@functools.lru_cache
def more(n):
    return n + 1


def wrong():
    @ag.function
    def f(n):
        return more(n)  # <-- here

    return f(np.int64(2))


def repaired():
    @ag.function
    def f(n):
        return more.__wrapped__(n)

    return f(np.int64(2))


EXPECTED = 3
