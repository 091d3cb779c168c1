import numpy as np

import autograph_rs as ag


def wrong():
    @ag.function
    def halvings(n):
        steps = 0
        while n > 1:
            ag.set_loop_options(max_iterations=10)  # <-- here
            n //= 2
            steps += 1
        return steps

    return halvings(np.int64(40))


def repaired():
    @ag.function
    def halvings(n):
        steps = 0
        while n > 1:
            ag.set_loop_options(maximum_iterations=10)
            n //= 2
            steps += 1
        return steps

    return halvings(np.int64(40))


EXPECTED = 5
