import autograph_rs as ag


def half(x):
    return x / 2


def wrong():
    return ag.to_graph(half, source="def half(x):\n    return (x / 2\n")(3.0)  # <-- here


def repaired():
    return ag.to_graph(half, source="def half(x):\n    return (x / 2)\n")(3.0)


EXPECTED = 1.5
