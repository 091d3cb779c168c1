import autograph_rs as ag


def wrong():
    return ag.function(lambda x: x + 1, backend="torch", reduce_retracing=True)(2)  # <-- here


def repaired():
    return ag.function(lambda x: x + 1, reduce_retracing=True)(2)


EXPECTED = 3
