import numpy as np

import autograph_rs as ag


graph = ag.function(lambda x: x + x).get_concrete_function(np.ones(2)).graph


def wrong():
    return ag.Graph.from_json(graph).count("add")  # <-- here


def repaired():
    return ag.Graph.from_json(graph.to_json()).count("add")


EXPECTED = 1
