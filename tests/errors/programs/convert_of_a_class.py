import autograph_rs as ag


class Model:
    def step(self, x):
        return x + 1 if x > 0 else x


def wrong():
    return ag.convert(Model)().step(1)  # <-- here


def repaired():
    return ag.convert(Model().step)(1)


EXPECTED = 2
