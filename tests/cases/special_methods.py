"""Special methods, properties and descriptors, whose branches and loops are staged."""

import abc
import dataclasses
import functools

import numpy as np

from autograph_rs.testing import samples


class Interval:
    """Numbers between two bounds, which arithmetic and assignments keep in order."""

    def __init__(self, low, high):
        if low > high:
            low, high = high, low
        self.low = low
        self.high = high

    def __add__(self, step):
        if step > 0:
            return Interval(self.low, self.high + step)
        return Interval(self.low + step, self.high)

    def __rsub__(self, value):
        return value - self.high if value > self.high else 0.0

    def __imul__(self, factor):
        if factor > 1:
            self.high = self.high * factor
        return self

    def __neg__(self):
        return Interval(-self.low, -self.high)

    def __abs__(self):
        if self.low < 0:
            return self.high - self.low
        return self.high

    def __bool__(self):
        if self.high > self.low:
            return True
        return False

    def __len__(self):
        return 2 if self.low < self.high else 1

    def __contains__(self, value):
        return self.low <= value and value <= self.high

    def __eq__(self, other):
        if not isinstance(other, Interval):
            return NotImplemented
        if self.low != other.low:
            return False
        return bool(self.high == other.high)

    def __lt__(self, other):
        if self.high < other.low:
            return True
        return False

    __hash__ = None

    def __getitem__(self, index):
        if index == 0:
            return self.low
        return self.high

    def __setitem__(self, index, value):
        if index == 0:
            self.low = value
        else:
            self.high = value

    def __iter__(self):
        return iter([self.low, self.high])

    def __enter__(self):
        if self.low < 0:
            self.low = self.low * 0
        return self

    def __exit__(self, *error):
        if self.high > 5:
            self.high = self.high * 0 + 5

    def __call__(self, value):
        if value in self:
            return value
        return self.low

    def __float__(self):
        return float(self.high - self.low)

    def __str__(self):
        return f"[{self.low}, {self.high}]"

    @property
    def width(self):
        if self.high > 100:
            return 100.0
        return self.high - self.low

    @width.setter
    def width(self, width):
        if width < 0:
            raise ValueError("a width cannot be negative")
        self.high = self.low + width


UNIT = Interval(0.0, 1.0)


@samples((2.0,), (-2.0,))
def sum_of_new_objects(x):
    return tuple(Interval(0.0, 1.0) + x)


@samples((2.0,), (0.5,))
def reflected_difference(x):
    return 3.0 - Interval(0.0, x), 0.25 - Interval(0.0, x)


@samples((2.0,), (-2.0,))
def product_in_place(x):
    interval = Interval(0.0, 1.0)
    interval *= x
    return interval.high, abs(-interval)


@samples((2.0,), (1.0,))
def truth_of_an_object(x):
    interval = Interval(1.0, x)
    if interval:
        return 1
    return 2 if not interval else 3


@samples((2.0,), (1.0,))
def truth_in_expressions(x):
    interval = Interval(1.0, x)
    return 1 if interval else 2, bool(interval), any([interval, False]), all([interval])


@samples((2.0,), (1.0,))
def length_of_an_object(x):
    return len(Interval(1.0, x)), float(Interval(1.0, x))


@samples((2.0,), (0.5,))
def membership(x):
    return x in UNIT, x not in UNIT, UNIT(x)


@samples((1.0,), (2.0,))
def equality(x):
    return Interval(0.0, x) == UNIT, Interval(0.0, x) != UNIT, Interval(0.0, x) == 3


@samples((3.0,), (0.5,))
def order(x):
    return UNIT < Interval(x, 4.0), UNIT > Interval(-1.0, x - 2)


@samples((2.0, 0), (2.0, 1))
def items_by_a_staged_index(x, index):
    interval = Interval(0.0, x)
    interval[index] = x + interval[index]
    return interval.low, interval.high


@samples((2.0,), (-2.0,))
def items_of_an_object(x):
    total = 0.0
    for item in Interval(x, 1.0):
        if item > 0:
            total += item
    low, high = Interval(x, 1.0)
    return total, low, high


@samples((7.0,), (-2.0,))
def context_manager(x):
    with Interval(x, 3.0) as interval:
        low = interval.low
    return low, interval.high


@samples((2.0,), (200.0,), (-1.0,))
def property_that_is_set(x):
    interval = Interval(0.0, 1.0)
    interval.width = x
    return interval.width, interval.high


@samples((2.0,), (-1.0,))
def property_set_in_a_branch(x):
    interval = Interval(0.0, 1.0)
    if x > 0:
        interval.width = x
        interval.width += 1
    return interval.high


@samples((2.0,), (-1.0,))
def text_of_an_object(x):
    return f"{Interval(x, 1.0)} and {UNIT!s}"


@samples((2.0,), (1.0,))
def match_by_equality(x):
    match Interval(0.0, x):
        case value if value == UNIT:
            return 1
        case _:
            return 2


class Clamped:
    """A descriptor for a value of at most ten."""

    def __set_name__(self, owner, name):
        self.name = f"_{name}"

    def __get__(self, instance, owner=None):
        return getattr(instance, self.name)

    def __set__(self, instance, value):
        if value > 10:
            value = value * 0 + 10
        instance.sets += 1
        setattr(instance, self.name, value)


class Tank:
    """A level that a descriptor checks, and a value that is computed once."""

    level = Clamped()

    def __init__(self, level):
        self.sets = 0
        self.level = level

    @functools.cached_property
    def pressure(self):
        if self.level > 5:
            return self.level * 2
        return self.level


@samples((3.0,), (30.0,))
def descriptor(x):
    tank = Tank(x)
    if x > 1:
        tank.level = tank.level + x
    return tank.level, tank.sets


@samples((3.0,), (30.0,))
def cached_property(x):
    tank = Tank(x)
    return tank.pressure, tank.pressure + 1


@dataclasses.dataclass
class Span:
    """A dataclass that keeps its fields in order."""

    start: float
    stop: float = 1.0

    def __post_init__(self):
        if self.start > self.stop:
            self.start, self.stop = self.stop, self.start


@samples((0.5,), (3.0,))
def post_init(x):
    return Span(x).start, Span(x).stop


@samples((0.5,), (3.0,))
def equality_of_fields(x):
    return Span(x) == Span(0.5), Span(x) != Span(0.5, 1.0)


class Shape(abc.ABC):
    """A base class whose operators use a property of its subclasses."""

    def __init__(self, size):
        if size < 0:
            size = -size
        self.size = size

    @property
    @abc.abstractmethod
    def area(self): ...

    def __gt__(self, other):
        if self.area > other.area:
            return True
        return False

    def __add__(self, other):
        return self.area + other.area if other.area > 1 else self.area


class Disc(Shape):
    """A property and an operator that override or extend those of the base class."""

    @property
    def area(self):
        if self.size > 10:
            return 300.0
        return self.size * self.size * 3

    def __add__(self, other):
        total = super().__add__(other)
        return total if total < 100 else 100.0


@samples((0.5,), (-3.0,), (20.0,))
def operators_of_subclasses(x):
    disc = Disc(x)
    return disc.area, disc > Disc(1.0), disc + Disc(2.0), Disc(2.0) + disc


@functools.total_ordering
class Version:
    """An order from two methods."""

    def __init__(self, number):
        self.number = number

    def __eq__(self, other):
        return bool(self.number == other.number)

    def __lt__(self, other):
        if self.number < other.number:
            return True
        return False


@samples((1,), (2,), (3,))
def total_order(x):
    two = Version(2)
    return Version(x) < two, Version(x) <= two, Version(x) > two, Version(x) >= two


class Vector:
    """Arrays behind operators."""

    def __init__(self, values):
        self.values = values

    def __matmul__(self, other):
        product = self.values @ other.values
        if product < 0:
            return -product
        return product

    def __getitem__(self, index):
        if isinstance(index, slice):
            return Vector(self.values[index])
        return self.values[index]

    def __setitem__(self, index, value):
        if value < 0:
            value = 0.0
        self.values[index] = value

    def __len__(self):
        return len(self.values)


@samples((np.array([1.0, 2.0, 3.0]), 1), (np.array([1.0, -2.0, -3.0]), 2))
def operators_of_arrays(xs, i):
    vector = Vector(xs.copy())
    vector[i] = xs[0] - xs[1]
    tail = vector[1:]
    return vector @ Vector(xs), vector[i], len(tail), tail[0]


@samples((np.array([1.0, -2.0, 3.0]),), (np.array([-1.0, -2.0, -3.0]),))
def object_replaced_in_a_loop(xs):
    interval = Interval(0.0, 1.0)
    for x in xs:
        interval = interval + x
    return interval.low, interval.high
