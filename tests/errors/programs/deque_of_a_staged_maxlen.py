import collections

import numpy as np

import autograph_rs as ag


def wrong():
    @ag.function
    def total_of_last(xs, size):
        window = collections.deque(maxlen=size)  # <-- here
        for x in xs:
            window.append(x)
        return sum(window)

    return total_of_last(np.array([1.0, 2.0, 3.0]), np.int64(2))


def repaired():
    @ag.function
    def total_of_last(xs, size):
        window = collections.deque()
        for x in xs:
            window.append(x)
            if len(window) > size:
                window.popleft()
        return sum(window)

    return total_of_last(np.array([1.0, 2.0, 3.0]), np.int64(2))


EXPECTED = 5.0
