import numpy as np

import autograph_rs as ag


def ones():
    yield from [np.float64(1), np.float64(1)]


@ag.function
def total(dataset):
    result = 0.0
    for x in dataset:
        result += x
    return result


def wrong():
    return total(ag.data.from_iterable(ones()))  # <-- here


def repaired():
    return total(ag.data.from_iterable(ones))


EXPECTED = 2.0
