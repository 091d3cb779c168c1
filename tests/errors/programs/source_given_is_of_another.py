import autograph_rs as ag


def half(x):  # <-- here
    return x / 2


def wrong():
    return ag.to_graph(half, source="def double(x): return x * 2")(3.0)


def repaired():
    return ag.to_graph(half, source="def half(x): return x / 2")(3.0)


EXPECTED = 1.5
