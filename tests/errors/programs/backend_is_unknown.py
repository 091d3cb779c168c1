import autograph_rs as ag


def wrong():
    return ag.function(lambda x: x + 1, backend="numpy")(2)  # <-- here


def repaired():
    return ag.function(lambda x: x + 1, backend="graph")(2)


EXPECTED = 3
