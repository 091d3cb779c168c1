import autograph_rs as ag

TEXT = "sort(key=lambda x: -x, then=lambda x: x)"


def wrong():
    return ag.to_graph(lambda x: -x, source=TEXT)(3)  # <-- here


def repaired():
    return ag.to_graph(lambda x: -x, source="lambda x: -x")(3)


EXPECTED = -3
