import numpy as np

import autograph_rs as ag


def wrong():
    class Model:
        last = None

        @ag.function
        def step(self, x):
            self.last = x * 2
            return x

    @ag.function
    def use(x):
        return x + model.last  # <-- here

    model = Model()
    model.step(np.float64(1.0))
    return use(np.float64(1.0))


def repaired():
    class Model:
        last = None

        @ag.function
        def step(self, x):
            return x * 2

    @ag.function
    def use(x):
        return x + model.last

    model = Model()
    model.last = model.step(np.float64(1.0))
    return use(np.float64(1.0))


EXPECTED = 3.0
