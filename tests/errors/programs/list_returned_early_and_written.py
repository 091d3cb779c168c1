import numpy as np

import autograph_rs as ag


def wrong():
    @ag.function
    def f(n):
        log = []
        try:
            if n > 0:
                return "early", log
            log.append(1)
        finally:
            log.append(2)  # <-- here
        return "late", log

    return f(np.int64(1))


def repaired():
    @ag.function
    def f(n):
        log = []
        try:
            if n > 0:
                return "early", log.copy()
            log.append(1)
        finally:
            log.append(2)
        return "late", log

    return f(np.int64(1))[1], f(np.int64(0))[1]


EXPECTED = ([], [1, 2])
