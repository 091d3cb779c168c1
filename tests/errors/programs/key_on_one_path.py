import numpy as np

import autograph_rs as ag


def wrong():
    class Box:
        pass

    @ag.function
    def mark(xs):
        box = Box()
        box.table = {"name": "x"}
        for x in xs:
            if x > 0:  # <-- here
                box.table["sign"] = 1
        return len(box.table)

    return mark(np.array([1.0]))


def repaired():
    class Box:
        pass

    @ag.function
    def mark(xs):
        box = Box()
        box.table = {"name": "x", "sign": 0}
        for x in xs:
            if x > 0:
                box.table["sign"] = 1
        return len(box.table)

    return mark(np.array([1.0]))


EXPECTED = 2
