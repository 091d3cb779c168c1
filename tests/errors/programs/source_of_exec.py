import autograph_rs as ag

TEXT = "def half(x):\n    return x / 2 if x > 0 else 0\n"


def made():
    namespace = {}
    exec(TEXT, namespace)
    return namespace["half"]


def wrong():
    return ag.to_graph(made())(3.0)  # <-- here


def repaired():
    return ag.to_graph(made(), source=TEXT)(3.0)


EXPECTED = 1.5
