import numpy as np

import autograph_rs as ag


def wrong():
    @ag.function
    def total(xs, most):
        s = 0.0
        for x in xs:
            ag.set_loop_options(maximum_iterations=most - 5)  # <-- here
            s += x
        return s

    return total(np.ones(3), 4)


def repaired():
    @ag.function
    def total(xs, most):
        s = 0.0
        for x in xs:
            ag.set_loop_options(maximum_iterations=most)
            s += x
        return s

    return total(np.ones(3), 4)


EXPECTED = 3.0
