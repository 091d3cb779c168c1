import enum

import numpy as np

import autograph_rs as ag


class Side(enum.Enum):
    LEFT = 1
    RIGHT = "r"


def wrong():
    @ag.function
    def side(x):
        chosen = Side.LEFT if x > 0 else Side.RIGHT
        return chosen.value  # <-- here

    return side(np.float64(1))


def repaired():
    @ag.function
    def side(x):
        return Side.LEFT if x > 0 else Side.RIGHT

    return side(np.float64(1)).value


EXPECTED = 1
