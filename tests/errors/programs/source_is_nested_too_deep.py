import autograph_rs as ag

DEEP = f"lambda x: {'(' * 300}x{')' * 300} + 1"


def wrong():
    return ag.to_graph(eval(DEEP.replace("(", "").replace(")", "")), source=DEEP)(3)  # <-- here


def repaired():
    return ag.to_graph(eval("lambda x: x + 1"), source="lambda x: x + 1")(3)


EXPECTED = 4
