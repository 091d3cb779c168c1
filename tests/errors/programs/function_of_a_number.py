import autograph_rs as ag


def wrong():
    return ag.function(3)(1)  # <-- here


def repaired():
    return ag.function(lambda x: x + 3)(1)


EXPECTED = 4
