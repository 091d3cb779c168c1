import json

import numpy as np

import autograph_rs as ag


def wrong():
    @ag.function
    def told(n):
        if n > 3:
            json.dumps({"n": n})  # <-- here
        return n

    return told(np.int64(2))


def repaired():
    @ag.function
    def told(n):
        return n

    return json.dumps({"n": int(told(np.int64(4)))})


EXPECTED = '{"n": 4}'
