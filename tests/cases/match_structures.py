"""`match` on tuples, lists, dicts and objects whose parts are staged."""

import enum
from dataclasses import dataclass
from typing import NamedTuple

from autograph_rs.testing import samples


@dataclass
class Point:
    """A subject for class patterns."""

    x: float
    y: float


class Pair(NamedTuple):
    """A subject for sequence and class patterns."""

    first: float
    second: float


class Circle:
    """A class whose positional pattern is its radius."""

    __match_args__ = ("radius",)

    def __init__(self, radius):
        self.radius = radius


class Level(enum.IntEnum):
    """Names for value patterns."""

    LOW = 1
    HIGH = 2


@samples((0.0, 2.0), (3.0, 2.0), (1.0, 2.0))
def literals_in_a_tuple(x, y):
    match (x, y):
        case (0.0, b):
            return b
        case (a, b) if a > b:
            return a
        case (a, b):
            return a + b


@samples((0.0, 2.0), (2.0, 0.0), (2.0, 3.0))
def alternatives_of_structure(x, y):
    match (x, y):
        case (0.0, value) | (value, 0.0):
            return value
        case (1.0 | 2.0 as small, value):
            return small + value
    return -1.0


@samples((0.0, 2.0), (3.0, 2.0))
def star_pattern(x, y):
    match [x, y, x + y]:
        case [0.0, *rest]:
            return sum(rest)
        case [first, *_, last] if first < last:
            return first * last
        case [*_]:
            return 0.0


@samples((0.0, 2.0), (3.0, 2.0), (-3.0, 2.0))
def mapping_pattern(x, y):
    match {"op": "add", "a": x, "b": y}:
        case {"op": "sub"}:
            return x - y
        case {"op": "add", "a": 0.0, "b": b}:
            return b
        case {"op": "add", "a": a, **rest} if a > 1:
            return a + rest["b"]
        case {"b": b}:
            return b * 10


@samples((0.0, 2.0), (3.0, 2.0), (-3.0, -3.0))
def class_patterns(x, y):
    match Point(x, y):
        case Point(x=0.0, y=b):
            return b
        case Point(a, b) if a == b:
            return a
        case Point(y=b):
            return b + 1


@samples((0.0, 2.0), (3.0, 2.0), (3.0, 0.5))
def nested_patterns(x, y):
    match (Point(x, y), Circle(y)):
        case (Point(0.0, b), Circle(r)) if r > 1:
            return b * r
        case (Point(x=a), Circle(2.0)):
            return a
        case (Point(), Circle(r)):
            return r * 100


@samples((0.0, 2.0), (3.0, 2.0))
def named_tuple_pattern(x, y):
    match Pair(x, y):
        case Pair(0.0, second):
            return second
        case Pair(first=first):
            return first * 7


@samples((3.0, 1), (4.0, 2), (5.0, 3))
def value_patterns_of_parts(x, level):
    match (level, x):
        case (Level.LOW, value):
            return value
        case (Level.HIGH, value):
            return -value
        case _:
            return 0.0


@samples((3.0, 2.0), (1.0, 2.0))
def whole_and_parts(x, y):
    match (x, (y, None)):
        case (3.0, _) as pair:
            return pair[1][0]
        case (a, (b, None)) as pair:
            return a + b + pair[0]


@samples((1.5, 2), (-2.5, 7), staged=())
def classes_of_numbers(x, n):
    """Plain only: the numbers of JAX, TensorFlow and PyTorch are no instances of Python's classes."""
    match (x, n):
        case (int(), _):
            return 1
        case (float(a), int(b)) if a > 0:
            return a + b
        case (float(), b):
            return b


@samples((2.0,), (-2.0,), (0.0,), staged=())
def class_of_the_subject(x):
    """Plain only: the numbers of JAX, TensorFlow and PyTorch are no instances of Python's classes."""
    match x:
        case int():
            return 1
        case float(value) if value > 0:
            return value
        case float():
            return -1.0


@samples((3.0, 1.0), (-3.0, 1.0), (0.0, 9.0))
def structure_in_a_loop(x, y):
    total = 0.0
    for item in [(0, x), (1, y), (2, x * y)]:
        match item:
            case (0, value) if value > 0:
                total += value
            case (_, 0.0):
                continue
            case (1, 9.0):
                break
            case (k, value):
                total += k * value
    return total


@samples((1.0, 2.0), (30.0, 2.0))
def structure_ends_a_loop(x, y):
    while True:
        match (x, y):
            case (a, _) if a > 10:
                break
            case (a, b):
                x = a + b * b
    return x


@samples((3.0, 2.0), (1.0, 2.0))
def captures_that_stay_bound(x, y):
    a = b = 0.0
    match (x, y):
        case (1.0, b):
            pass
        case (a, b) if a > b:
            b = -b
    return a, b


def evaluated(tree):
    match tree:
        case ("number", value):
            return value
        case ("negative", inner):
            return -evaluated(inner)
        case ("product", ("number", 0.0), _) | ("product", _, ("number", 0.0)):
            return 0.0
        case ("product", first, second):
            return evaluated(first) * evaluated(second)


@samples((3.0, 2.0), (0.0, 2.0), (3.0, 0.0))
def expression_tree(x, y):
    return evaluated(("product", ("number", x), ("negative", ("product", ("number", y), ("number", x)))))


class Meter:
    """An object that counts how often its attribute is read."""

    def __init__(self, value):
        self.reads = 0
        self._value = value

    @property
    def value(self):
        self.reads += 1
        return self._value


@samples((0.0, 2.0), (1.0, 2.0), staged=())
def order_of_tests(x, y):
    """Plain only: a trace reads the attributes of a later part if the tests before it may hold."""
    meter = Meter(y)
    match (2, x, meter):
        case (1, _, Meter(value=value)):
            return value, meter.reads
        case (2, 0.0, Meter(value=value)):
            return value, meter.reads
        case (2, _, _):
            return x, meter.reads
