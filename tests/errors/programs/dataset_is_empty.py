import numpy as np

import autograph_rs as ag


@ag.function
def total(dataset):
    result = 0.0
    for x in dataset:
        result += x
    return result


def wrong():
    return total(ag.data.from_iterable([]))  # <-- here


def repaired():
    return total(ag.data.from_iterable([], spec=ag.TensorSpec(())))


EXPECTED = 0.0
