import numpy as np

import autograph_rs as ag


def wrong():
    class Point:
        pass

    points = []

    @ag.function
    def place(x):
        point = Point()
        point.x = x
        points.append(point)
        return point

    return place(np.float64(1.0))  # <-- here


def repaired():
    class Point:
        pass

    @ag.function
    def place(x):
        point = Point()
        point.x = x
        return point.x

    return place(np.float64(1.0))


EXPECTED = 1.0
