import gast

import autograph_rs as ag
from autograph_rs.converters import Pass, Pipeline


class Renames(Pass):
    names = {"x": "y"}

    def run(self, function):
        for node in gast.walk(function):
            if isinstance(node, gast.Name):
                node.id = self.names[node.id]


class RenamesKnown(Renames):
    names = {"x": "x", "scale": "scale"}


scale = 3


def scaled(x):  # <-- here
    return x * scale


def wrong():
    return ag.Transpiler(passes=Pipeline().add(Renames, before="LowerMatch")).to_graph(scaled)(2)


def repaired():
    return ag.Transpiler(passes=Pipeline().add(RenamesKnown, before="LowerMatch")).to_graph(scaled)(2)


EXPECTED = 6
