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
    def largest(n):
        return max(*Countdown(n))

    return largest(np.int64(3))


def repaired():
    @ag.function
    def largest(n):
        return max(list(Countdown(n)))

    return largest(np.int64(3))


EXPECTED = 2
