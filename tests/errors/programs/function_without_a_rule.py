import numpy as np

import autograph_rs as ag


def wrong():
    @ag.function
    def zeros(p):
        return np.roots(p)  # <-- here

    return zeros(np.array([1.0, -3.0, 2.0]))


def repaired():
    @ag.function
    def zeros(p):
        companion = np.array([-p[1:], [p[0], 0.0]]) / p[0]
        return np.round(np.sort(np.linalg.eigvals(companion.astype(complex)).real), 9)

    return zeros(np.array([1.0, -3.0, 2.0]))


EXPECTED = [1.0, 2.0]
