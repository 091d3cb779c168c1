import numpy as np

import autograph_rs as ag


def wrong():
    @ag.function
    def positive(xs):
        def items():
            for x in xs:
                if x > 0:  # <-- here
                    yield x

        found = items()
        return [next(found), *found]

    return positive(np.array([1.0, -2.0, 3.0]))


def repaired():
    @ag.function
    def positive(xs):
        def items():
            for x in xs:
                if x > 0:
                    yield x

        return list(items())

    return positive(np.array([1.0, -2.0, 3.0]))


EXPECTED = [1.0, 3.0]
