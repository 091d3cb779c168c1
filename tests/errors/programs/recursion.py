import numpy as np

import autograph_rs as ag


def wrong():
    @ag.function
    def factorial(n):
        def product(n):
            if n <= 1:
                return 1
            return n * product(n - 1)  # <-- here

        return product(n)

    return factorial(np.int64(5))


def repaired():
    @ag.function
    def factorial(n):
        product = 1
        while n > 1:
            product = product * n
            n = n - 1
        return product

    return factorial(np.int64(5))


EXPECTED = 120
