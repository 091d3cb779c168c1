import operator

import autograph_rs as ag


def wrong():
    return ag.convert(operator.add)(1, 2)  # <-- here


def repaired():
    return ag.convert(lambda x, y: operator.add(x, y))(1, 2)


EXPECTED = 3
