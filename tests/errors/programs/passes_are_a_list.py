import autograph_rs as ag
from autograph_rs.converters import Pass, Pipeline


class Nothing(Pass):
    def run(self, function):
        pass


def double(x):
    return x * 2


def wrong():
    return ag.Transpiler(passes=[Nothing]).to_graph(double)(2)  # <-- here


def repaired():
    return ag.Transpiler(passes=Pipeline().add(Nothing)).to_graph(double)(2)


EXPECTED = 4
