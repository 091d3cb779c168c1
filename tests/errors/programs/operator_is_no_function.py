import types

import autograph_rs as ag


def sign(x):
    return 1 if not x < 0 else -1


def wrong():
    return ag.Transpiler(operators=types.SimpleNamespace(not_=True)).to_graph(sign)(2)  # <-- here


def repaired():
    return ag.Transpiler(operators=types.SimpleNamespace(not_=lambda x: not x)).to_graph(sign)(2)


EXPECTED = 1
