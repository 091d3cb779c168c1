"""`match`: what a staged subject can be matched on, and what only plain values can."""

import enum
from dataclasses import dataclass

import numpy as np

from autograph_rs.testing import samples


class Color(enum.IntEnum):
    """Names for value patterns."""

    RED = 1
    GREEN = 2


@dataclass
class Point:
    """Something for class patterns."""

    x: int
    y: int


@samples((0,), (1,), (2,), (-1,))
def literals(x):
    match x:
        case 0:
            return "zero"
        case 1:
            return "one"
        case -1:
            return "minus one"
        case _:
            return "many"


@samples((1,), (3,), (5,), (7,))
def or_patterns(x):
    match x:
        case 1 | 2:
            y = 10
        case 3 | 4 | 5:
            y = 20
        case _:
            y = 0
    return y + x


@samples((5,), (1,))
def capture(x):
    match x * 2:
        case 2:
            y = 100
        case other:
            y = other + 1
    return y


@samples((5,), (50,), (0,), (-5,), staged=())
def guards(x):
    """Plain only: without a match it returns None, and a staged value cannot be None."""
    match x:
        case 0:
            return 0
        case n if n > 10:
            return n - 10
        case n if n < 0:
            return -n
        case n:
            return n * 100


@samples((1,), (2,), (9,))
def no_wildcard(x):
    y = 0
    match x:
        case 1:
            y = 5
        case 2:
            y = 6
    return y


@samples((1,), (9,))
def unbound_after(x):
    match x:
        case 1:
            y = 5
    return y


@samples((1,), (2,), (3,))
def value_patterns(x):
    match x:
        case Color.RED:
            return "red"
        case Color.GREEN:
            return "green"
    return "other"


@samples((2, 3), (3, 4), (9, 9))
def or_with_as(x, scale):
    match x:
        case (1 | 2 | 3) as small:
            y = small * scale
        case large:
            y = large - scale
    return y


@samples((1.5,), (2.5,), staged=())
def floats(x):
    """Plain only: without a match it returns None, and a staged value cannot be None."""
    match x:
        case 1.5:
            return 1
        case 2.5:
            return 2


@samples((6,), (1,), (0,))
def in_loop(n):
    total = 0
    for i in range(n):
        match i % 4:
            case 0:
                continue
            case 1:
                total += 1
            case 2 | 3 if total > 3:
                break
            case other:
                total += other * 10
    return total


@samples((0, 1), (0, 0), (1, 1), (1, 0))
def nested(x, y):
    match x:
        case 0:
            match y:
                case 0:
                    z = 1
                case _:
                    z = 2
        case _:
            z = 3 + y
    return z


@samples(([],), ([1],), ([1, 2],), ([1, 2, 3, 4],), ((5, 6),), ("ab",), staged=())
def sequences(items):
    """Plain only: the length of a sequence is not a staged value."""
    match items:
        case []:
            return "nothing"
        case [x]:
            return x
        case [x, y]:
            return x, y
        case [first, *rest]:
            return first, rest
    return "no sequence"


@samples(({"op": "add", "a": 1, "b": 2},), ({"op": "neg", "a": 3},), ({},), (7,), staged=())
def mappings(request):
    """Plain only: the keys of a mapping are not staged values."""
    match request:
        case {"op": "add", "a": a, "b": b}:
            return a + b
        case {"op": "neg", "a": a, **others}:
            return -a, others
        case {}:
            return None
    return "?"


@samples((Point(0, 0),), (Point(0, 2),), (Point(3, 3),), (Point(1, 2),), (5,), (True,), staged=())
def classes(thing):
    """Plain only: the class of a value is not staged."""
    match thing:
        case Point(x=0, y=0):
            return "origin"
        case Point(0, y):
            return y
        case Point(x, y) if x == y:
            return "diagonal"
        case Point():
            return "point"
        case bool():
            return "truth"
        case int(n):
            return n


@samples(("go north",), ("go",), ("drop a b",), ("",))
def commands(text):
    match text.split():
        case ["go", direction]:
            result = direction
        case ["drop", *things]:
            result = things
        case ["go" | "look"]:
            result = "where?"
        case _:
            result = None
    return result


@samples((None,), (True,), (False,), (1,), staged=())
def singletons(x):
    """Plain only: these patterns compare by identity, and no NumPy value is True."""
    match x:
        case None:
            return "none"
        case True:
            return "true"
        case False:
            return "false"
        case 1:
            return "one"


@samples((3, 4), (-3, 4), (0, 0), staged=())
def tuple_subject(x, y):
    """Plain only: a sequence pattern is matched by Python."""
    match (x > 0, y > 0):
        case (a, b) if a and b:
            return 1
        case (a, b) if a or b:
            return 2
        case _:
            return 3


@samples((1,), (0,), (5,))
def subject_read_once(x):
    calls = [0]

    def subject():
        calls[0] += 1
        return x

    match subject():
        case 5:
            y = 0
        case 1:
            y = 1
        case _:
            y = 2
    return y, calls[0]


@samples((np.array([3.0, -1.0, 4.0]),), (np.array([2.0, -1.0]),), (np.array([-1.0]),), (np.arange(5.0),))
def lists_of_staged_length(xs):
    found = [x for x in xs if x > 0]
    match found:
        case []:
            return 0.0, [0.0]
        case [only]:
            return only, [only]
        case [3.0, *rest] as whole if len(whole) > 1:
            return whole[1], rest
        case [first, *_, last]:
            return last - first, found
