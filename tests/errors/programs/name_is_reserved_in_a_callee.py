import autograph_rs as ag


def helper(x):
    ag__ = x * 2  # <-- here
    return ag__


def better_helper(x):
    doubled = x * 2
    return doubled


def wrong():
    return ag.to_graph(lambda x: helper(x) if x > 0 else 0)(2)


def repaired():
    return ag.to_graph(lambda x: better_helper(x) if x > 0 else 0)(2)


EXPECTED = 4
