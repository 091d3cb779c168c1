import threading

import numpy as np

import autograph_rs as ag


def wrong():
    @ag.function
    def spread(x):
        found = []

        def run():
            try:
                found.append(x + 1)  # <-- here
            except Exception as error:
                found.append(error)

        thread = threading.Thread(target=run)
        thread.start()
        thread.join()
        [result] = found
        if isinstance(result, Exception):
            raise result
        return result

    return spread(np.float64(1.0))


def repaired():
    @ag.function
    def spread(x):
        return x + 1

    found = []
    thread = threading.Thread(target=lambda: found.append(spread(np.float64(1.0))))
    thread.start()
    thread.join()
    return found[0]


EXPECTED = 2.0
