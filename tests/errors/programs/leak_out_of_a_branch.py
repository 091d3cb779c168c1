import queue

import numpy as np

import autograph_rs as ag


def wrong():
    @ag.function
    def keep(x):
        if x > 0:
            store(x * 2)
        return waiting.get() + 1  # <-- here

    waiting = queue.SimpleQueue()
    store = waiting.put
    return keep(np.float64(1.0))


def repaired():
    @ag.function
    def keep(x):
        y = 0.0
        if x > 0:
            y = x * 2
        return y + 1

    return keep(np.float64(1.0))


EXPECTED = 3.0
