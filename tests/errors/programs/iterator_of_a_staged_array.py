import numpy as np

import autograph_rs as ag


def wrong():
    @ag.function
    def first(x):
        def positive():
            yield next(iter(x[x > 0]))  # <-- here

        return list(positive())

    return first(np.array([-1.0, 2.0]))


def repaired():
    @ag.function
    def first(x):
        def positive():
            yield from x[x > 0][:1]

        return list(positive())

    return first(np.array([-1.0, 2.0]))


EXPECTED = [2.0]
