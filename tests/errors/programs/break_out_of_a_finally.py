import numpy as np

import autograph_rs as ag


def wrong():
    @ag.function
    def first(x):
        for i in range(3):
            try:
                y = i
            finally:
                if x > 0:  # <-- here
                    break
        return y

    return first(np.float64(3.0))


def repaired():
    @ag.function
    def first(x):
        for i in range(3):
            try:
                y = i
            finally:
                done = x > 0
            if done:
                break
        return y

    return first(np.float64(3.0))


EXPECTED = 0
