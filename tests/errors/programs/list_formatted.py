import numpy as np

import autograph_rs as ag


def wrong():
    @ag.function
    def show(x):
        return f"{[x, x + 1]}"  # <-- here

    return show(np.int64(1))


def repaired():
    @ag.function
    def show(x):
        items = [x, x + 1]
        return f"[{items[0]}, {items[1]}]"

    return show(np.int64(1))


EXPECTED = "[1, 2]"
