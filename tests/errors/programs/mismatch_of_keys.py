import numpy as np

import autograph_rs as ag


def wrong():
    @ag.function
    def report(xs):
        found = {"low": 0.0}
        for x in xs:
            found = {"low": x}
            if x > 10:  # <-- here
                found = {"low": x, 1: "high"}
        return found["low"]

    return report(np.array([3.0]))


def repaired():
    @ag.function
    def report(xs):
        found = {"low": 0.0, "high": np.nan}
        for x in xs:
            found = {"low": x, "high": np.nan}
            if x > 10:
                found = {"low": x, "high": x}
        return found["low"]

    return report(np.array([3.0]))


EXPECTED = 3.0
