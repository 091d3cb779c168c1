import numpy as np

import autograph_rs as ag


class Countdown:
    def __init__(self, n):
        self.n = n

    def __iter__(self):
        return self

    def __next__(self):
        if self.n <= 0:  # <-- here
            raise StopIteration
        self.n -= 1
        return self.n


def wrong():
    @ag.function
    def total(n):
        result = 0
        for k in Countdown(n):
            result += k
        return result

    return total(np.int64(3))


def repaired():
    @ag.function
    def total(n):
        result = 0
        while n > 0:
            n -= 1
            result += n
        return result

    return total(np.int64(3))


EXPECTED = 3
