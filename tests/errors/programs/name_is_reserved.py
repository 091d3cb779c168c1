import autograph_rs as ag


def scale(x, ag__):  # <-- here
    return x * ag__


def scale_by(x, factor):
    return x * factor


def wrong():
    return ag.to_graph(scale)(2, 3)


def repaired():
    return ag.to_graph(scale_by)(2, 3)


EXPECTED = 6
