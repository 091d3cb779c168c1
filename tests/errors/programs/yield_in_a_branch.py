import numpy as np

import autograph_rs as ag


def wrong():
    @ag.function
    def evens(x):
        def items():
            for i in range(4):
                if x > i:  # <-- here
                    yield i

        return sum(items())

    return evens(np.int64(3))


def repaired():
    @ag.function
    def evens(x):
        def items():
            found = []
            for i in range(4):
                if x > i:
                    found.append(i)
            return found

        return sum(items())

    return evens(np.int64(3))


EXPECTED = 3
