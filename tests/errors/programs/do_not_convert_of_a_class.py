import autograph_rs as ag


class Model:
    def step(self, x):
        return x + 1 if x > 0 else x


def wrong():
    ag.do_not_convert(Model)  # <-- here
    return Model().step(1)


def repaired():
    ag.do_not_convert(Model.step)
    return Model().step(1)


EXPECTED = 2
