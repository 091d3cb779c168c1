import numpy as np

import autograph_rs as ag


def wrong():
    class Box:
        pass

    @ag.function
    def label(x):
        box = Box()
        if x > 0:
            box.sign = 1
        return hasattr(box, "sign")  # <-- here

    return label(np.float64(1.0))


def repaired():
    class Box:
        pass

    @ag.function
    def label(x):
        box = Box()
        box.sign = 0
        if x > 0:
            box.sign = 1
        return box.sign != 0

    return label(np.float64(1.0))


EXPECTED = True
