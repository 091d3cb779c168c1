import fractions

import numpy as np

import autograph_rs as ag


def wrong():
    @ag.function
    def thirds(n):
        if n > 3:
            n = fractions.Fraction(n, 3)  # <-- here
        return n

    return thirds(np.int64(2))


def repaired():
    @ag.function
    def thirds(n):
        return ag.py_function(lambda n: float(fractions.Fraction(int(n), 3)), [n], ag.TensorSpec(()))

    return thirds(np.int64(6))


EXPECTED = 2.0
