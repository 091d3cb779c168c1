import gast

import autograph_rs as ag
from autograph_rs.converters import Pass, Pipeline


class Claims(Pass):
    removes = (gast.Return,)

    def run(self, function):
        pass


class Honest(Pass):
    def run(self, function):
        pass


def double(x):  # <-- here
    return x * 2


def wrong():
    return ag.Transpiler(passes=Pipeline().add(Claims)).to_graph(double)(2)


def repaired():
    return ag.Transpiler(passes=Pipeline().add(Honest)).to_graph(double)(2)


EXPECTED = 4
