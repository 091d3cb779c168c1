import datetime

import numpy as np

import autograph_rs as ag


def wrong():
    @ag.function
    def day(n):
        return (datetime.date(2020, 1, 1) + datetime.timedelta(days=n)).toordinal()  # <-- here

    return day(np.int64(3))


def repaired():
    @ag.function
    def day(n):
        return datetime.date(2020, 1, 1).toordinal() + n

    return day(np.int64(3))


EXPECTED = 737428
