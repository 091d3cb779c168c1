import numpy as np

import autograph_rs as ag

rate = 0.5
held = ag.Variable(0.5)


@ag.function(check_globals=True)
def by_global(x):
    return x * rate


@ag.function(check_globals=True)
def by_variable(x):
    return x * held


def wrong():
    global rate
    by_global(np.float64(4))
    rate = 0.25
    return by_global(np.float64(4))  # <-- here


def repaired():
    held.assign(0.5)
    by_variable(np.float64(4))
    held.assign(0.25)
    return by_variable(np.float64(4))


EXPECTED = 1.0
