import collections

import numpy as np

import autograph_rs as ag


def wrong():
    @ag.function
    def last(xs):
        kept = collections.deque(maxlen=2)
        for x in xs:
            kept = collections.deque((*kept, x), maxlen=2)  # <-- here
        return list(kept)

    return last(np.array([1.0, 2.0, 3.0]))


def repaired():
    @ag.function
    def last(xs):
        kept = []
        for x in xs:
            kept.append(x)
            if len(kept) > 2:
                kept.pop(0)
        return kept

    return last(np.array([1.0, 2.0, 3.0]))


EXPECTED = [2.0, 3.0]
