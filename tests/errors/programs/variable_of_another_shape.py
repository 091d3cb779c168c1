import autograph_rs as ag


def wrong():
    weights = ag.Variable([0.0, 0.0], name="weights")
    return weights.assign([1.0, 2.0, 3.0]).numpy()  # <-- here


def repaired():
    weights = ag.Variable([0.0, 0.0], name="weights")
    return weights.assign([1.0, 2.0]).numpy()


EXPECTED = [1.0, 2.0]
