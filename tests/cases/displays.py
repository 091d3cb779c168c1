"""Displays and comprehensions of sets and dicts, lists with stars, and targets with a star."""

import numpy as np

from autograph_rs.testing import samples

XS = np.array([1.0, 3.0, 2.0, 3.0, 0.0])
YS = np.array([-1.0, -2.0])


@samples((XS, 1.5), (YS, 1.5))
def path_with_stars(xs, limit):
    path, back = [], [limit]
    for x in xs:
        if x > limit:
            path, back = [*path, x], [x, *back]
    return path, back, [0.0, *path, limit, limit, *back]


@samples((XS, 1.5), (XS, 9.0), (YS, -3.0))
def first_and_rest(xs, limit):
    first, *rest = [x for x in xs if x > limit]
    return first, rest


@samples((XS, 0.5), (YS, -3.0), (YS, 0.0))
def ends_and_middle(xs, limit):
    low, *middle, high = sorted([x for x in xs if x > limit])
    return low, middle, high


@samples((XS,), (YS,))
def of_an_array(xs):
    first, *rest = xs
    *start, last = xs
    return first, rest, start, last


@samples((XS, 3.0), (YS, 3.0))
def members(xs, x):
    seen = {xs[0], xs[1], x}
    for y in xs:
        seen.add(y)
    return len(seen), x in seen, x in {1.0, x - 1}


@samples((XS, 1.5), (YS, 1.5))
def set_comprehension(xs, limit):
    return sorted({x for x in xs if x > limit}), len({x * x for x in xs})


@samples((XS,), (YS,))
def dict_comprehension(xs):
    places = {x: i for i, x in enumerate(xs)}
    squares = {i: x * x for i, x in enumerate([3, 1]) if xs[i] > 0}
    return places[xs[0]], len(places), len(squares)


@samples((XS, 2.0), (YS, -2.0))
def dict_display(xs, key):
    names = {xs[0]: 1, xs[1]: 2, "other": 3} if False else {xs[0]: 1, xs[1]: 2}
    return names.get(key, 0), len(names)


@samples((XS,), (YS,))
def plain_displays(xs):
    order = []

    def noted(value):
        order.append(value)
        return value

    made = {noted(1), noted(2)}, {noted(3): noted(4), noted(5): noted(6)}, [*range(noted(2)), noted(7)]
    chained = [*(noted(i) for i in range(8, 10)), noted(10), *[noted(11)], noted(12)]
    return xs, *made, chained, order, {k: v for k, v in made[1].items() if v > 4}
