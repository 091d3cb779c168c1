import autograph_rs as ag


def sign(x):
    return 1 if not x < 0 else -1


def wrong():
    return ag.Transpiler(call_hook=3).to_graph(sign)(2)  # <-- here


def repaired():
    return ag.Transpiler(call_hook=lambda f: None).to_graph(sign)(2)


EXPECTED = 1
