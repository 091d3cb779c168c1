import numpy as np

import autograph_rs as ag


def wrong():
    return ag.to_graph(lambda x: -x, source=b"lambda x: -x")(np.int64(3))  # <-- here


def repaired():
    return ag.to_graph(lambda x: -x, source="lambda x: -x")(np.int64(3))


EXPECTED = -3
