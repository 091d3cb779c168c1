import numpy as np

import autograph_rs as ag


def wrong():
    class Log:
        def __init__(self):
            self.lines = []

    log = Log()

    @ag.function
    def note(x):
        if x > 0:  # <-- here
            log.lines.append(1)
        return x

    return note(np.float64(2.0))


def repaired():
    class Log:
        def __init__(self):
            self.lines = []

    log = Log()

    @ag.function
    def note(x):
        lines = []
        if x > 0:
            lines.append(1)
        return lines

    log.lines += note(np.float64(2.0))
    return log.lines


EXPECTED = [1]
