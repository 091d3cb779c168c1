import numpy as np

import autograph_rs as ag


def wrong():
    @ag.function
    def first(x):
        def items():
            for i in range(4):
                if x > i:  # <-- here
                    yield i

        found = items()
        return next(found) + next(found)

    return first(np.int64(3))


def repaired():
    @ag.function
    def first(x):
        def items():
            for i in range(4):
                if x > i:
                    yield i

        total = 0
        for count, i in enumerate(items()):
            if count < 2:
                total += i
        return total

    return first(np.int64(3))


EXPECTED = 1
