import numpy as np

import autograph_rs as ag


def wrong():
    @ag.function
    def shown(x):
        with np.printoptions(precision=2):
            return str(x)  # <-- here

    return shown(np.ones(2) / 3)


def repaired():
    @ag.function
    def shown(x):
        return str(x)

    with np.printoptions(precision=2):
        return shown(np.ones(2) / 3)


EXPECTED = "[0.33 0.33]"
