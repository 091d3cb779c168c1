import cmath

import numpy as np

import autograph_rs as ag


def wrong():
    @ag.function
    def angle(x):
        return cmath.phase(x)  # <-- here

    return angle(np.complex128(1j))


def repaired():
    @ag.function
    def angle(x):
        return np.angle(x)

    return angle(np.complex128(1j))


EXPECTED = np.pi / 2
