import functools

import clamps
import edited_tools
import frozen_tools
import zipped_tools
from ns_tools.rounding import steps

from .helpers import decorated, helper, power, unset


def model(x):
    def nested(y):
        if y > 3:
            y = y - 3
        return y

    return nested(helper(x)) + decorated(x)


def with_partial(x):
    return functools.partial(power, exponent=3)(x)


def with_clamp(x):
    return clamps.clamp(x, low=-2, high=2) + clamps.Limits(-1, 5).apply(x) + clamps.constant(3)


def with_iterators(x):
    return clamps.total(v for v in (x, -x, x + 1)) + clamps.total({"a": x}.values()) + clamps.total(iter([x]))


def with_warning(x):
    return clamps.warns(x)


def with_state(x):
    clamps.STATE["x"] = x
    return clamps.stored()


def with_namespace(x):
    return steps.up(x)


def with_elsewhere(x):
    return edited_tools.below(x, 3) + zipped_tools.even(x)


def with_frozen(x):
    return frozen_tools.sign(x)


def with_excluded(x):
    return clamps.excluded(x)


def with_unset(x):
    return unset(x)


class Scale:
    def __init__(self, x):
        if x > 0:
            self.factor = x
        else:
            self.factor = -x

    def __call__(self, y):
        return self.method(y) + self.twice(y) + self.made(y)

    def method(self, y):
        if y > self.factor:  # noqa: PLR1730 - a staged branch
            y = self.factor
        return y

    @staticmethod
    def twice(y):
        return y * 2 if y > 1 else y

    @classmethod
    def made(cls, y):
        return cls.twice(y) + 1


class Model:
    """A model that is called like those of frameworks."""

    def __call__(self, x):
        return Scale(x)(x)


def apply_twice(x):
    return Model()(x) + Model().__call__(x)
