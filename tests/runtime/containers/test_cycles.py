"""`itertools.cycle`: `next` under staged conditions, loops that a staged test ends, and `zip`."""

import itertools

import numpy as np
import pytest

import autograph_rs as ag

XS = np.array([1.0, -2.0, 3.0, 4.0, -1.0, 5.0, -7.0])


def next_in_branches(xs):
    signs, total = itertools.cycle([1.0, -1.0]), xs[0] * 0
    for x in xs:
        if x > 0:
            total += x * next(signs)
    return total + next(signs)


def zipped(xs):
    total = xs[0]
    for x, w in zip(xs, itertools.cycle([1.0, 2.0, 4.0]), strict=False):
        total += x * w
    return total


def zipped_in_a_generator_expression(xs):
    weights = itertools.cycle((1, 2, 3))
    return (
        list(itertools.islice(weights, 5)),
        next(weights),
        sum(x * w for x, w in zip(xs, weights, strict=False)),
    )


def endless_loop(xs):
    n = 0.0
    for k in itertools.cycle((1, 2)):
        n += k
        if n > xs[0]:
            break
    return n


def of_a_range(xs):
    groups, found = itertools.cycle(range(3)), []
    for x in xs:
        if x > 0:
            found.append(next(groups))
    return found


def of_an_argument(xs):
    items, total = itertools.cycle(xs), 0.0
    for _ in range(10):
        total = total * 2 + next(items)
    return total


def of_text(xs):
    players, score = itertools.cycle("AB"), {"A": 0.0, "B": 0.0}
    player = next(players)
    for x in xs:
        score[player] += x
        if x > 0:
            player = next(players)
    return score["A"], score["B"], player


def of_tuples(xs):
    directions, (x, y) = itertools.cycle([(0, 1), (1, 0), (0, -1), (-1, 0)]), (0, 0)
    dx, dy = next(directions)
    for value in xs:
        x, y = x + dx, y + dy
        if value > 0:
            dx, dy = next(directions)
    return x, y


@pytest.mark.parametrize(
    "f",
    [
        next_in_branches, zipped, zipped_in_a_generator_expression, endless_loop, of_a_range, of_an_argument,
        of_text, of_tuples,
    ],
)  # fmt: skip
@pytest.mark.parametrize("length", [len(XS), None])
def test_equal_to_python(f, length):
    staged = ag.function(f, input_signature=[ag.TensorSpec((length,))])
    for xs in (XS, -XS, np.abs(XS)) if length else (XS, XS[:2], XS[1:6], -XS):
        assert staged(xs) == f(xs)


@pytest.mark.parametrize("values", ["no items", "a staged length"])
def test_next_of_a_cycle_of_nothing(values):
    def first(xs):
        items = itertools.cycle([] if values == "no items" else xs)
        return next(items, 7.0)

    staged = ag.function(first, input_signature=[ag.TensorSpec((None,))])
    assert staged(np.array([])) == first(np.array([]))
