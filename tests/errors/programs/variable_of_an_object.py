import autograph_rs as ag


def wrong():
    return ag.Variable({"rate": 0.5}).numpy()  # <-- here


def repaired():
    return ag.Variable(0.5, name="rate").numpy()


EXPECTED = 0.5
