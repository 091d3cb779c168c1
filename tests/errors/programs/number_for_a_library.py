import time

import numpy as np

import autograph_rs as ag


def wrong():
    @ag.function
    def wait(x):
        time.sleep(x)  # <-- here
        return x

    return wait(np.float64(0.0))


def repaired():
    @ag.function
    def wait(x):
        ag.py_function(time.sleep, [x], None)
        return x

    return wait(np.float64(0.0))


EXPECTED = 0.0
