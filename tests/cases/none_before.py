"""Variables that are None, or have no value, until the first round of a loop gives them one."""

import numpy as np

from autograph_rs.testing import samples

XS = np.array([1.0, 3.0, 2.0])


class Box:
    """An object whose attribute a loop sets first."""


@samples((XS,), (-XS,))
def greatest(xs):
    best = None
    for x in xs:
        if best is None or x > best:
            best = x
    return best


@samples((np.int64(3),))
def last_of_a_while(n):
    last = None
    while n > 0:
        last = n * 2
        n = n - 1
    return last


@samples((XS,))
def index_and_value(xs):
    best, place = None, None
    for i, x in enumerate(xs):
        if best is None or x > best:
            best, place = x, i
    return best, place


@samples((XS, XS + 1))
def pairs(xs, ys):
    product = None
    for x, y in zip(xs, ys):
        product = x + y if product is None else product * (x + y)
    return product


@samples((XS,))
def backwards(xs):
    difference = None
    for x in reversed(xs):
        difference = x if difference is None else difference - x
    return difference


@samples((XS,))
def in_two_loops(xs):
    best = None
    for x in xs:
        for y in xs:
            if best is None or x * y > best:
                best = x * y
    return best


@samples((np.int64(4),))
def over_a_range(n):
    total = None
    for i in range(1, n):
        total = i if total is None else total * i
    return total


@samples((XS,))
def a_key(xs):
    seen = {}
    for x in xs:
        seen["last"] = x
    return seen


@samples((XS,))
def an_attribute(xs):
    box = Box()
    for x in xs:
        box.last = x
    return box.last


@samples((XS, 1.5), (XS, 5.0))
def ends_early(xs, limit):
    best = None
    for x in xs:
        best = x if best is None else best + x
        if best > limit:
            break
    return best


@samples((XS,), (-XS,))
def returned_early(xs):
    before = None
    for x in xs:
        if before is not None and x < before:
            return x
        before = x
    return before
