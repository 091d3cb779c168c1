import autograph_rs as ag


def sign(x):
    return 1 if not x < 0 else -1


def wrong():
    return ag.Transpiler(features={"calls", "loops"}).to_graph(sign)(2)  # <-- here


def repaired():
    return ag.Transpiler(features={"calls", "control_flow"}).to_graph(sign)(2)


EXPECTED = 1
