import autograph_rs as ag


class Model:
    def modules(self):
        return [self]

    def forward(self, x):
        return x + 1 if x > 0 else x


def wrong():
    return ag.convert_module(Model.forward)(Model(), 1)  # <-- here


def repaired():
    return ag.convert_module(Model()).forward(1)


EXPECTED = 2
