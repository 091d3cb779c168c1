import numpy as np

import autograph_rs as ag


@ag.function
def total(numbers):
    s = 0.0
    for x in numbers:
        s += x
    return s


def wrong():
    return total(ag.data.from_iterable(3.0))  # <-- here


def repaired():
    return total(ag.data.from_iterable([3.0]))


EXPECTED = 3.0
