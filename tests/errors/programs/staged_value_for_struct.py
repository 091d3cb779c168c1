import struct

import numpy as np

import autograph_rs as ag


def wrong():
    @ag.function
    def packed(x):
        return len(struct.pack("<d", x))  # <-- here

    return packed(np.float64(3.0))


def repaired():
    @ag.function
    def packed(x):
        return x * 1.0

    return len(struct.pack("<d", float(packed(np.float64(3.0)))))


EXPECTED = 8
