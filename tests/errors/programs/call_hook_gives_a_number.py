import autograph_rs as ag


class Layer:
    def __call__(self, x):
        return x + 1


layer = Layer()


def apply(x):
    return layer(x)  # <-- here


def wrong():
    return ag.Transpiler(call_hook=lambda f: 3).to_graph(apply)(2)


def repaired():
    return ag.Transpiler(call_hook=lambda f: None).to_graph(apply)(2)


EXPECTED = 3
