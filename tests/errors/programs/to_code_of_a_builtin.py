import autograph_rs as ag


def length(xs):
    return len(xs)


def wrong():
    return "callee(len)" in ag.to_code(len)  # <-- here


def repaired():
    return "callee(len)" in ag.to_code(length)


EXPECTED = True
