"""Methods, inheritance, properties and classes made inside functions."""

import abc
import dataclasses

import numpy as np

from autograph_rs.testing import samples


class Layer:
    """A method with a branch, a static method, a class method and a private name."""

    scale = 2

    def __init__(self, weight):
        self.weight = weight
        self.__calls = 0

    def __call__(self, x):
        self.__calls += 1
        if x > 0:
            return x * self.weight
        return self.negative(x)

    def negative(self, x):
        return x

    @staticmethod
    def clip(x, limit):
        if x > limit:
            x = limit
        return x

    @classmethod
    def scaled(cls, x):
        if x > 0:
            return x * cls.scale
        return x

    @property
    def calls(self):
        return self.__calls


class Leaky(Layer):
    """Overrides that call `super()`."""

    scale = 3

    def __init__(self, weight, leak):
        super().__init__(weight)
        self.leak = leak

    def negative(self, x):
        if x < -10:
            return super().negative(x)
        return super().negative(x) * self.leak

    @classmethod
    def scaled(cls, x):
        return super().scaled(x) + 1


class Vector:
    """Operators with branches."""

    def __init__(self, x, y):
        self.x, self.y = x, y

    def __add__(self, other):
        return Vector(self.x + other.x, self.y + other.y)

    def __getitem__(self, i):
        return self.x if i == 0 else self.y

    def __len__(self):
        return 2

    def __contains__(self, value):
        return value == self.x or value == self.y

    def largest(self):
        if self.x > self.y:
            return self.x
        return self.y


@dataclasses.dataclass
class Range:
    """A dataclass with a method that stages."""

    low: float
    high: float = 10.0

    def clip(self, x):
        if x < self.low:
            return self.low
        return min(x, self.high)


class Shape(abc.ABC):
    """An abstract base."""

    @abc.abstractmethod
    def area(self): ...


class Square(Shape):
    """A concrete class."""

    def __init__(self, side):
        self.side = side

    def area(self):
        return self.side**2 if self.side > 0 else 0


@samples((3,), (-3,))
def call_method(x):
    layer = Layer(10)
    return layer(x), layer.negative(x)


@samples((3,), (-3,), (-30,))
def call_super(x):
    return Leaky(10, 5)(x)


@samples((3,), (-3,))
def private_name(x):
    layer = Layer(1)
    if x > 0:
        x = layer(x)
    layer(x)
    layer(x)
    return x, layer.calls > 1


@samples((3,), (30,))
def static_method(x):
    return Layer.clip(x, 10), Layer(0).clip(x, 5)


@samples((3,), (-3,))
def class_method(x):
    return Layer.scaled(x), Leaky.scaled(x), Leaky(1, 2).scaled(x)


@samples((3, 4), (4, 3))
def operators(a, b):
    total = Vector(a, b) + Vector(1, 0)
    return total.largest(), total[0], total[1], len(total)


@samples((3, 4), (4, 3))
def contains_of_object(a, b):
    return 4 in Vector(a, a), b in Vector(a, b)


@samples((3.0,), (-3.0,), (30.0,))
def dataclass_method(x):
    return Range(0.0).clip(x), Range(low=-1.0, high=1.0).clip(x)


@samples((3,), (-3,))
def abstract_method(x):
    total = 0
    for shape in [Square(x), Square(2)]:
        total += shape.area()
    return total


@samples((3,), (0,), staged=())
def abstract_class_raises(x):
    """Plain only: staged, the mistake is found while tracing, whichever branch is taken."""
    if x > 0:
        return Shape()
    return x


@samples((3,), (-3,))
def class_in_function(x):
    class Doubler:
        """Reads `x` of the function around it."""

        times = 2

        def run(self, y):
            if y > 0:
                return y * self.times + x
            return y

    class Tripler(Doubler):
        times = 3

        def run(self, y):
            return super().run(y) + 1

    return Doubler().run(x), Tripler().run(x), __class__ if x is None else 0


@samples((3,), (-3,), staged=())
def private_name_in_function(x):
    """Plain only: the object keeps the value beyond a branch that may not be taken."""

    class Box:
        def __init__(self):
            self.__value = 0

        def put(self, value):
            if value > 0:
                self.__value = value
            return self

        def names(self):
            return sorted(vars(self)), self.__value

    return Box().put(x).names()


@samples((3,), (-3,))
def bound_method_as_value(x):
    run = Layer(4).__call__
    double = Range(0.0, 2.0).clip
    return run(x), double(x)


@samples((np.array([1.0, -2.0]),), (np.array([-1.0, -2.0]),))
def method_over_array(xs):
    layer = Leaky(2.0, 0.5)
    total = 0.0
    for x in xs:
        total += layer(x)
    return total


@samples((2,), (-2,))
def inherited_property(x):
    class Temperature:
        def __init__(self, value):
            self.value = value

        @property
        def warm(self):
            return self.value > 0

    if Temperature(x).warm:
        return "warm"
    return "cold"


@samples((5,), (1,))
def method_that_returns_self(x):
    class Builder:
        def __init__(self):
            self.total = 0

        def add(self, y):
            if y > 3:
                self.total += y
            return self

    return Builder().add(x).add(x + 1).add(10).total


@samples((3,), (0,), staged=())
def object_that_counts_down(n):
    """Plain only: the loop is over an iterator of the user's own."""

    class Countdown:
        def __init__(self, start):
            self.left = start

        def __iter__(self):
            return self

        def __next__(self):
            if self.left <= 0:
                raise StopIteration
            self.left -= 1
            return self.left + 1

    return [i for i in Countdown(n)], sum(Countdown(n))


class Line:
    def __init__(self):
        self.waiting, self.served = [], 0

    def join(self, who):
        self.waiting.append(who)

    def serve(self):
        if not self.waiting:
            raise IndexError("nobody waits")
        self.served += 1
        return self.waiting.pop(0)

    def __bool__(self):
        return len(self.waiting) > 0


@samples((np.array([3.0, -1.0, 4.0]), 0.0), (np.array([3.0, -1.0]), 9.0))
def loop_while_an_object_is_true(xs, limit):
    line, total = Line(), 0.0
    for x in xs:
        if x > limit:
            line.join(x)
    while line:
        total = total * 2 + line.serve()
    return total, line.served
