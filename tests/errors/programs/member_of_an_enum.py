import enum

import numpy as np

import autograph_rs as ag


class Side(enum.Enum):
    LEFT = 1
    RIGHT = 2


def wrong():
    @ag.function
    def side(x):
        return Side.LEFT if x > 0 else Side.RIGHT  # <-- here

    return side(np.float64(1)).value


def repaired():
    @ag.function
    def side(x):
        return Side.LEFT.value if x > 0 else Side.RIGHT.value

    return Side(side(np.float64(1))).value


EXPECTED = 1
